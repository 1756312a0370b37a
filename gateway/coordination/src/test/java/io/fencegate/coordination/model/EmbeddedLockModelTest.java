/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.embedded.TestClocks;
import io.fencegate.coordination.store.CoordinationStore;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedLockModelTest extends LockModelContract {

  @TempDir Path directory;

  @Override
  CoordinationStore open(Vertx vertx, TestClocks clocks) {
    return World.await(EmbeddedStore.open(vertx, directory.resolve("data"), clocks));
  }

  /** The store looks at the clocks before it judges anything. */
  @Override
  void timePassed() {}

  /** A bucket lives a second longer, and may have been opened at the end of the call. */
  @Override
  Duration lateness() {
    return Duration.ofSeconds(2);
  }
}
