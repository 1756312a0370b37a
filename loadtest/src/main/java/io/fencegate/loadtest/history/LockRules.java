/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

import io.fencegate.loadtest.history.LockState.Hold;
import io.fencegate.loadtest.history.Operation.Answer;
import io.fencegate.loadtest.history.Operation.Result;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What one fenced lock does, one call after another. Written from the interface's promises.
 *
 * @param firsts by request: what it was granted, as far as anybody was told
 * @param contended calls during which somebody was waiting in the queue: then {@code HELD} may mean
 *     that, and says nothing of the lock
 */
record LockRules(Map<String, Result> firsts, Set<Integer> contended) {

  /** The state after a call with its answer; none where the answer is wrong in this state. */
  Optional<LockState> after(LockState state, Operation op) {
    return switch (op.kind()) {
      case ACQUIRE, WAIT -> acquired(state, op);
      case RENEW -> renewed(state, op);
      case RELEASE -> released(state, op);
      case SHOW -> shown(state, op);
      case WRITE -> written(state, op);
    };
  }

  private static Optional<LockState> only(boolean right, LockState next) {
    return right ? Optional.of(next) : Optional.empty();
  }

  private static long sureUntil(Operation op) {
    return op.invokeNanos() + TimeUnit.MILLISECONDS.toNanos(op.result().remainingMillis());
  }

  private Optional<LockState> acquired(LockState state, Operation op) {
    if (op.answer() == Answer.HELD) {
      return only(!state.isFree() || contended.contains(op.id()), state);
    }
    if (op.answer() != Answer.GRANTED) {
      return Optional.empty();
    }
    if (state.granted().contains(op.request())) {
      return repeated(state, op);
    }
    Hold hold = new Hold(op.request(), op.result().token(), op.result().lease(), sureUntil(op));
    boolean right = state.isFree() && op.result().token() > state.highest();
    return right ? Optional.of(state.heldBy(hold).remembering(op.request())) : Optional.empty();
  }

  /** The first result again; where time is left, the lease must hold the lock. */
  private Optional<LockState> repeated(LockState state, Operation op) {
    if (!op.result().lease().equals(first(op.request()).lease())
        || op.result().token() != first(op.request()).token()) {
      return Optional.empty();
    }
    if (op.result().remainingMillis() == 0) {
      return Optional.of(state);
    }
    return state.isHeldBy(op.result().lease())
        ? Optional.of(state.sureUntil(sureUntil(op)))
        : Optional.empty();
  }

  private Result first(String request) {
    return firsts.getOrDefault(request, Result.of(Answer.UNKNOWN));
  }

  private static Optional<LockState> renewed(LockState state, Operation op) {
    if (!state.isHeldBy(op.lease())) {
      return only(op.answer() == Answer.LOST, state);
    }
    boolean right =
        op.answer() == Answer.RENEWED && op.result().token() == state.hold().orElseThrow().token();
    return right ? Optional.of(state.sureUntil(sureUntil(op))) : Optional.empty();
  }

  /**
   * A release whose gateway lost a reply cannot tell what it did itself: it calls a free lock
   * released, and not held what somebody has taken since.
   */
  private static Optional<LockState> released(LockState state, Operation op) {
    return switch (op.answer()) {
      case RELEASED -> only(state.isHeldBy(op.lease()) || state.isFree(), state.freed());
      case ALREADY_RELEASED -> only(state.isFree(), state);
      case NOT_HELD ->
          state.isHeldBy(op.lease()) ? Optional.of(state.freed()) : only(!state.isFree(), state);
      default -> Optional.empty();
    };
  }

  private static Optional<LockState> shown(LockState state, Operation op) {
    if (state.isFree()) {
      return only(op.answer() == Answer.FREE, state);
    }
    Hold hold = state.hold().orElseThrow();
    long shown = op.result().token();
    if (op.answer() != Answer.SHOWN_HELD) {
      return Optional.empty();
    }
    if (hold.token() == 0) {
      Hold known = new Hold(hold.request(), shown, hold.lease(), hold.sureUntilNanos());
      return only(shown > state.highest(), state.heldBy(known));
    }
    return only(hold.token() == shown, state);
  }

  /** The gateway knows for a while that a lease was good, so a write may land after its end. */
  private static Optional<LockState> written(LockState state, Operation op) {
    boolean isHolder = state.isHeldBy(op.lease());
    return switch (op.answer()) {
      case APPLIED ->
          only(
              op.token() >= state.epoch() && op.token() <= state.highest(),
              state.withEpoch(op.token()));
      case STALE -> only(op.token() < Math.max(state.epoch(), state.highest()), state);
      case EXPIRED -> only(!isHolder, state);
      default -> Optional.empty();
    };
  }

  /** The state once a call without an answer has taken effect; none where it has none. */
  Optional<LockState> effect(LockState state, Operation op) {
    if (op.isAcquire()) {
      Result first = first(op.request());
      Hold hold = new Hold(op.request(), first.token(), first.lease(), op.invokeNanos());
      boolean possible =
          state.isFree()
              && !state.granted().contains(op.request())
              && (first.token() == 0 || first.token() > state.highest());
      return possible
          ? Optional.of(state.heldBy(hold).remembering(op.request()))
          : Optional.empty();
    }
    return switch (op.kind()) {
      case RELEASE -> only(state.isHeldBy(op.lease()), state.freed());
      case WRITE ->
          only(
              op.token() > state.epoch() && op.token() <= state.highest(),
              state.withEpoch(op.token()));
      default -> Optional.empty();
    };
  }
}
