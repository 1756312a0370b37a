/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.lock.WaitState.Phase;

/**
 * One waiting call, pure. At most one transaction of it is under way; what happens meanwhile is
 * remembered and counts when that is answered. So whether the lock or the end came first is decided
 * by the coordinator alone, and every call ends with exactly one of: its caller is answered the
 * lock, or neither a lock nor an entry of it is left.
 *
 * <pre>
 *           +-------------------- Ended ------------------+
 *           |                                             v
 * JOINING --+--> WAITING <--> KEEPING --> GRANTING --> LEAVING --> DONE
 *    |              ^____________________/  |   |                   ^
 *    |                                      |   +-- abandoned --> GIVING_BACK
 *    +-- in doubt --> CLEARING --> DONE     +-- granted --> DONE
 * </pre>
 */
final class WaitMachine {

  private WaitMachine() {}

  static WaitStep step(WaitState state, WaitEvent event) {
    return event.fold(new Transition(state));
  }

  private record Transition(WaitState state) implements WaitEvent.Cases<WaitStep> {

    private boolean is(Phase phase) {
      return state.phase() == phase;
    }

    private WaitStep stay() {
      return WaitStep.to(state);
    }

    private WaitStep done(WaitCommand answer) {
      return WaitStep.to(state.in(Phase.DONE), answer);
    }

    /** Whether the caller has been answered, so that no answer matters any more. */
    private boolean isOver() {
      return is(Phase.CLEARING) || is(Phase.DONE);
    }

    private WaitStep over() {
      return WaitStep.to(state.in(Phase.DONE));
    }

    /** In the queue with nothing under way: what is to be done next. */
    private WaitStep inQueue(WaitState placed, boolean myTurn) {
      if (myTurn && placed.wantsTheLock()) {
        return WaitStep.to(placed.in(Phase.GRANTING), WaitCommand.GRANT);
      }
      return placed.end().isPresent()
          ? WaitStep.to(placed.in(Phase.LEAVING), WaitCommand.LEAVE)
          : WaitStep.to(placed.in(Phase.WAITING), WaitCommand.REST);
    }

    @Override
    public WaitStep placed(WaitEvent.Placed event) {
      return isOver() ? over() : inQueue(state.at(event.place()), event.myTurn());
    }

    /** A cancel that found the grant would have said so, and not have ended the call. */
    @Override
    public WaitStep granted() {
      if (isOver()) {
        return over();
      }
      return state.isAbandoned() || state.isCancelled()
          ? WaitStep.to(state.in(Phase.GIVING_BACK), WaitCommand.GIVE_BACK)
          : done(WaitCommand.ANSWER_GRANT);
    }

    /** A call that comes later than the grant is its repeat; one that came before is out of it. */
    @Override
    public WaitStep decidedElsewhere() {
      if (isOver()) {
        return over();
      }
      return done(is(Phase.JOINING) ? WaitCommand.ANSWER_EARLIER : WaitCommand.ANSWER_IN_FLIGHT);
    }

    @Override
    public WaitStep superseded() {
      return isOver() || is(Phase.GIVING_BACK) ? stay() : done(WaitCommand.ANSWER_IN_FLIGHT);
    }

    @Override
    public WaitStep vanished() {
      if (isOver()) {
        return over();
      }
      return done(is(Phase.LEAVING) ? WaitCommand.ANSWER_END : WaitCommand.ANSWER_LOST);
    }

    @Override
    public WaitStep removed() {
      return isOver() ? over() : done(WaitCommand.ANSWER_END);
    }

    @Override
    public WaitStep returned() {
      return done(WaitCommand.ANSWER_END);
    }

    @Override
    public WaitStep refused() {
      return done(WaitCommand.ANSWER_REFUSAL);
    }

    /** What a wait in the queue has sent is settled by the next thing it sends. */
    @Override
    public WaitStep inDoubt() {
      return switch (state.phase()) {
        case JOINING ->
            WaitStep.to(state.in(Phase.CLEARING), WaitCommand.ANSWER_REFUSAL, WaitCommand.LEAVE);
        case KEEPING, GRANTING -> inQueue(state, false);
        case LEAVING -> done(WaitCommand.ANSWER_REFUSAL);
        case GIVING_BACK -> done(WaitCommand.ANSWER_END);
        case CLEARING -> over();
        case WAITING, DONE -> stay();
      };
    }

    @Override
    public WaitStep nudged() {
      return is(Phase.WAITING) ? WaitStep.to(state.in(Phase.GRANTING), WaitCommand.GRANT) : stay();
    }

    @Override
    public WaitStep due() {
      return is(Phase.WAITING) ? WaitStep.to(state.in(Phase.KEEPING), WaitCommand.KEEP) : stay();
    }

    @Override
    public WaitStep ended(WaitEvent.Ended event) {
      WaitState ending = state.ending(event.why());
      return is(Phase.WAITING)
          ? WaitStep.to(ending.in(Phase.LEAVING), WaitCommand.LEAVE)
          : WaitStep.to(ending);
    }
  }
}
