/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static io.fencegate.coordination.service.CoordinationFixture.await;

import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The witness stands beside the store's directory here: only the store is restored. */
class EmbeddedRestoreTest extends RestoreContract {

  @Override
  RestorableCoordinator open(Vertx vertx, Clocks clocks, Path folder) {
    return new Embedded(vertx, clocks, folder.resolve("data"), folder.resolve("backup"));
  }

  private static final class Embedded implements RestorableCoordinator {
    private final Vertx vertx;
    private final Clocks clocks;
    private final Path data;
    private final Path backup;
    private final StoreProxy proxy;

    Embedded(Vertx vertx, Clocks clocks, Path data, Path backup) {
      this.vertx = vertx;
      this.clocks = clocks;
      this.data = data;
      this.backup = backup;
      this.proxy = new StoreProxy(opened());
    }

    private CoordinationStore opened() {
      return await(EmbeddedStore.open(vertx, data, clocks));
    }

    @Override
    public CoordinationStore store() {
      return proxy;
    }

    @Override
    public void backUp() {
      whileClosed(() -> copy(data, backup));
    }

    @Override
    public void restore() {
      whileClosed(
          () -> {
            delete(data);
            copy(backup, data);
          });
    }

    @Override
    public void wipe() {
      whileClosed(() -> delete(data));
    }

    @Override
    public void restart() {
      whileClosed(() -> {});
    }

    private void whileClosed(Runnable work) {
      await(proxy.real().close());
      work.run();
      proxy.leadTo(opened());
    }

    @Override
    public void close() {
      await(proxy.close());
    }

    private static void copy(Path from, Path to) {
      try {
        Files.createDirectories(to);
        for (Path file : files(from)) {
          if (Files.isRegularFile(file)) {
            Files.copy(file, to.resolve(from.relativize(file).toString()));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void delete(Path folder) {
      try {
        for (Path file : files(folder)) {
          Files.delete(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Children before their folder. */
    private static List<Path> files(Path folder) throws IOException {
      try (Stream<Path> walk = Files.walk(folder)) {
        return walk.sorted(Comparator.reverseOrder()).toList();
      }
    }
  }
}
