/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.commit.LookTransaction;
import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.UnreadableRecord;
import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.function.Function;

/** Where the lock service's transactions are handed in. */
record Desk(Keyspace keys, CommitBatcher batcher, LeaseBuckets buckets, Clocks clocks) {

  <T> Future<Ruling<T>> submit(
      Transaction transaction,
      long deadlineNanos,
      Function<Commit.Judged, Future<Ruling<T>>> then) {
    return batcher
        .submit(transaction, deadlineNanos)
        .compose(commit -> commit.ruling(then))
        .recover(Desk::unavailable);
  }

  /** Reads a lock, linearizably. */
  <T> Future<Ruling<T>> look(
      ResourceName resource, long deadlineNanos, Function<Commit.Judged, Future<Ruling<T>>> then) {
    return submit(new LookTransaction(resource, keys.lock(resource)), deadlineNanos, then);
  }

  /** For how many milliseconds a lease of that class lives for certain. */
  Future<Long> remaining(LeaseHandle lease, TtlClass granted) {
    return buckets
        .deadlineNanos(lease, granted)
        .map(deadline -> granted.promiseMillis(deadline, clocks.read()));
  }

  long deadlineIn(Duration budget) {
    return clocks.read().monotonicNanos() + budget.toNanos();
  }

  /**
   * How long a lease lives could not be read, or what was found is no record of ours; the
   * transaction itself was judged.
   */
  static <T> Future<Ruling<T>> unavailable(Throwable failure) {
    if (failure instanceof StoreException store) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.COORDINATOR_UNAVAILABLE
                  .because(String.valueOf(store.getMessage()))
                  .inDoubt()));
    }
    if (failure instanceof UnreadableRecord unreadable) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.COORDINATOR_UNAVAILABLE.because(
                  String.valueOf(unreadable.getMessage()))));
    }
    return Future.failedFuture(failure);
  }
}
