/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A process that writes without end, several writers at once, and prints "key revision ." for every
 * write that was acknowledged. It expects to be killed.
 */
final class AcknowledgingChild {

  static final String ROOT = "child/";
  private static final int WRITERS = 32;

  private AcknowledgingChild() {}

  public static void main(String[] args) throws InterruptedException {
    Vertx vertx = Vertx.vertx();
    CoordinationStore store =
        EmbeddedStore.openNow(
            vertx, Path.of(args[0]), new TestClocks(), Bounds.standard(), disk -> disk);
    store
        .grant(3_600)
        .onSuccess(
            lease -> {
              System.out.println("lease " + lease.id());
              for (int writer = 0; writer < WRITERS; writer++) {
                write(store, lease, writer, 0);
              }
            });
    // The store's thread alone does not keep a process alive.
    new CountDownLatch(1).await();
  }

  private static void write(CoordinationStore store, LeaseHandle lease, int writer, int count) {
    String path = ROOT + writer + "/" + count;
    Op put = new Op.Put(new Key(path), Value.of(path), lease);
    Member member = new Member(List.of(), List.of(put), List.of());
    store
        .commit(new Batch(List.of(), List.of(member), List.of()))
        .map(BatchResult::revision)
        .onSuccess(
            revision -> {
              System.out.println(path + " " + revision + " .");
              write(store, lease, writer, count + 1);
            });
  }
}
