/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.RangePage;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/** A process with an open store is killed without warning. */
class EmbeddedStoreCrashIT {

  private static final int ACKNOWLEDGED_BEFORE_KILL = 2_000;
  private static final long ANSWER_SECONDS = 30;

  @TempDir Path directory;

  @RepeatedTest(3)
  void everythingAcknowledgedIsThereAfterAKill() throws Exception {
    Process child = start();
    Map<String, Long> acknowledged = new HashMap<>();
    long lease;
    try (BufferedReader out = child.inputReader()) {
      lease = Long.parseLong(out.readLine().substring("lease ".length()));
      readAcknowledged(out, acknowledged, ACKNOWLEDGED_BEFORE_KILL);
      assertOpeningIsRefused();
      // Through the handle: Process.destroyForcibly closes the output that is still to be read.
      child.toHandle().destroyForcibly();
      readAcknowledged(out, acknowledged, Integer.MAX_VALUE);
    }
    assertThat(child.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertHolds(acknowledged, new LeaseHandle(lease));
  }

  private Process start() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            AcknowledgingChild.class.getName(),
            directory.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** A last line that the kill cut short, hence without its full stop, counts as not read. */
  private static void readAcknowledged(BufferedReader out, Map<String, Long> acknowledged, int upTo)
      throws IOException {
    while (acknowledged.size() < upTo) {
      String line = out.readLine();
      if (line == null) {
        return;
      }
      List<String> words = List.of(line.split(" ", -1));
      if (words.size() == 3) {
        acknowledged.put(words.get(0), Long.valueOf(words.get(1)));
      }
    }
  }

  private void assertOpeningIsRefused() {
    withVertx(
        vertx -> {
          // Twice: being refused must not take the lock from the one that holds it.
          for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> open(vertx))
                .isInstanceOf(EmbeddedStoreException.class)
                .hasMessageContaining("in use by another");
          }
        });
  }

  private void assertHolds(Map<String, Long> acknowledged, LeaseHandle lease) {
    withVertx(
        vertx -> {
          CoordinationStore store = open(vertx);
          Map<String, Long> found = new TreeMap<>();
          KeyRange range = KeyRange.under(AcknowledgingChild.ROOT);
          long revision = 0;
          for (boolean more = true; more; ) {
            RangePage page = await(store.range(range, 10_000));
            for (Entry entry : page.entries()) {
              assertThat(entry.lease()).isEqualTo(lease);
              found.put(entry.key().path(), entry.createRevision());
              range = new KeyRange(new Key(entry.key() + "!"), range.to());
            }
            revision = page.revision();
            more = page.more();
          }
          assertThat(found).containsAllEntriesOf(acknowledged);
          assertThat(found.values()).doesNotHaveDuplicates();
          assertThat(revision)
              .isGreaterThanOrEqualTo(found.values().stream().max(Long::compare).orElseThrow());
          assertThat(await(store.timeToLive(lease))).isInstanceOf(LeaseTtl.Alive.class);
          await(store.close());
        });
  }

  private EmbeddedStore open(Vertx vertx) {
    return EmbeddedStore.openNow(
        vertx, directory, new TestClocks(), Bounds.standard(), disk -> disk);
  }

  private static void withVertx(Consumer<Vertx> work) {
    Vertx vertx = Vertx.vertx();
    try {
      work.accept(vertx);
    } finally {
      await(vertx.close());
    }
  }

  private static <T> T await(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
        .join();
  }
}
