/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.commit.LookTransaction;
import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import java.util.function.Function;

/** How lock calls go to the coordinator, and what is said where it does not answer. */
final class LockCommits {

  private final Keyspace keys;
  private final CommitBatcher batcher;
  private final LeaseBuckets buckets;
  private final Clocks clocks;

  LockCommits(Keyspace keys, CommitBatcher batcher, LeaseBuckets buckets, Clocks clocks) {
    this.keys = keys;
    this.batcher = batcher;
    this.buckets = buckets;
    this.clocks = clocks;
  }

  /** Reads a lock linearizably; what it found is the result's step 0. */
  <T> Future<Ruling<T>> look(
      ResourceName resource, long deadlineNanos, Function<Commit.Judged, Future<Ruling<T>>> then) {
    return submit(new LookTransaction(resource, keys.lock(resource)), deadlineNanos, then);
  }

  <T> Future<Ruling<T>> submit(
      Transaction transaction,
      long deadlineNanos,
      Function<Commit.Judged, Future<Ruling<T>>> then) {
    return batcher
        .submit(transaction, deadlineNanos)
        .compose(commit -> commit.ruling(then))
        .recover(LockCommits::unavailable);
  }

  /** How long a lease lives could not be read; the transaction itself was judged. */
  private static <T> Future<Ruling<T>> unavailable(Throwable failure) {
    if (failure instanceof StoreException store) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.COORDINATOR_UNAVAILABLE
                  .because(String.valueOf(store.getMessage()))
                  .inDoubt()));
    }
    return Future.failedFuture(failure);
  }

  /** Milliseconds that may be promised of a lease. */
  Future<Long> remaining(LeaseHandle lease, TtlClass granted) {
    return buckets
        .deadlineNanos(lease)
        .map(deadline -> granted.promiseMillis(deadline, clocks.read()));
  }
}
