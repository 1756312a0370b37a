/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import io.vertx.core.Future;
import java.util.List;

/**
 * A linearizable store. Every future completes on the caller's context within a bounded time; it
 * fails with {@link StoreException} only. Watches wake somebody up, only transactions and ranges
 * decide.
 */
public interface CoordinationStore {

  /**
   * Judges and commits a batch; durable when it answers. A batch that writes nothing (a delete of
   * an absent key is nothing) leaves the revision as it is. Refused without any effect, of any
   * member:
   *
   * <ul>
   *   <li>a batch that breaks {@link BatchRules} ({@code DEFINITE});
   *   <li>a put or touch, in a branch that would run, on a lease that is unknown or has run out
   *       ({@code LEASE_GONE});
   *   <li>a touch, in a branch that would run, of an absent key ({@code DEFINITE});
   *   <li>a batch that the store has no disk space left for ({@code NO_SPACE});
   *   <li>more requests than the store has room for ({@code DEFINITE}).
   * </ul>
   */
  Future<BatchResult> commit(Batch batch);

  /** Commits one transaction behind nothing but its own compares, as {@link #commit} does. */
  default Future<MemberResult> commitAlone(Member member) {
    return commit(new Batch(List.of(), List.of(member), List.of()))
        .map(BatchResult.Committed.class::cast)
        .map(committed -> committed.members().get(0));
  }

  /**
   * A new lease that runs out by itself after {@code ttlSeconds}; never kept alive. It lives at
   * least that long from the store's view, also over a restart of the store, and so at least until
   * {@code ttlSeconds} after the request left.
   *
   * @param ttlSeconds 1 to 86,401: a day, and the second that a bucket lives longer
   */
  Future<LeaseHandle> grant(long ttlSeconds);

  /** How long a lease still lives; {@link LeaseTtl.Gone} also for one that never was. */
  Future<LeaseTtl> timeToLive(LeaseHandle lease);

  /**
   * Reads the first {@code limit} keys of a range, linearizable. The next page starts after the
   * last key and is a read of its own.
   *
   * @param limit 1 to 10,000
   */
  Future<RangePage> range(KeyRange range, int limit);

  /**
   * Watches a range for changes with a revision of {@code fromRevision} and later.
   *
   * @param fromRevision 1 or more; may lie in the past as far as history is kept
   * @param scope which changes are told
   */
  Watch watch(KeyRange range, long fromRevision, WatchScope scope, WatchListener listener);

  /**
   * How the store is, for people, warnings and witnesses; no transaction depends on it. Answers
   * also while the store is away, with what is known then; fails only after {@link #close}.
   */
  Future<StoreHealth> health();

  /**
   * Completes when everything accepted before has been answered. Later calls fail {@code DEFINITE};
   * open watches are told that they are lost. Idempotent.
   */
  Future<Void> close();
}
