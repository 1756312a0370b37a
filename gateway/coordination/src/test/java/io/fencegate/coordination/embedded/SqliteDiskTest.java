/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Value;
import io.fencegate.coordination.store.WatchEvent;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteDiskTest {

  private static final int BUSY_MILLIS = 100;

  @TempDir Path directory;

  @Test
  void aWriteThatFailsHalfwayLeavesNothingAndTheDiskGoesOn() throws DiskException {
    SqliteDisk disk = SqliteDisk.open(directory, BUSY_MILLIS).disk();
    disk.write(changes(put("a", 2)), 0);
    // The second change of "b" in one revision is impossible: the first must not stay either.
    DiskException refused =
        catchThrowableOfType(
            DiskException.class, () -> disk.write(changes(put("b", 3), put("b", 3)), 0));
    assertThat(refused.effect()).isEqualTo(DiskException.Effect.NONE);
    disk.write(changes(put("c", 3)), 0);
    disk.close();
    SqliteDisk.Opened again = SqliteDisk.open(directory, BUSY_MILLIS);
    assertThat(again.stored().revision()).isEqualTo(3);
    assertThat(again.stored().entries())
        .extracting(entry -> entry.key().path())
        .containsExactlyInAnyOrder("a", "c");
    again.disk().close();
  }

  @Test
  void compactedHistoryIsGoneAndTheRestIsContiguous() throws DiskException {
    SqliteDisk disk = SqliteDisk.open(directory, BUSY_MILLIS).disk();
    for (long revision = 2; revision <= 10; revision++) {
      disk.write(changes(put("a", revision)), revision - 3);
    }
    disk.close();
    SqliteDisk.Opened again = SqliteDisk.open(directory, BUSY_MILLIS);
    assertThat(again.stored().history()).extracting(Revision::number).containsExactly(8L, 9L, 10L);
    again.disk().close();
  }

  private static Changes changes(WatchEvent... events) {
    Revision revision = new Revision(events[0].revision(), List.of(events));
    return new Changes(List.of(revision), List.of(), List.of());
  }

  private static WatchEvent put(String path, long revision) {
    return new WatchEvent.Changed(
        new Entry(new Key(path), Value.of("1"), revision, revision, LeaseHandle.NONE));
  }
}
