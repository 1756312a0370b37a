/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.lock.WaitEvent.Plain;
import io.fencegate.coordination.lock.WaitState.Phase;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** All states that a wait can be in, by exploring every event in every one of them. */
class WaitMachineTest {

  private static final Set<WaitCommand> ANSWERS =
      EnumSet.range(WaitCommand.ANSWER_GRANT, WaitCommand.ANSWER_END);
  private static final Set<WaitCommand> SENDS =
      EnumSet.of(WaitCommand.KEEP, WaitCommand.GRANT, WaitCommand.LEAVE, WaitCommand.GIVE_BACK);
  private static final WaitEvent MY_TURN = new WaitEvent.Placed(7, true);
  private static final WaitEvent NOT_MY_TURN = new WaitEvent.Placed(7, false);
  private static final WaitEvent TIME_IS_UP = new WaitEvent.Ended(WaitEnd.TIMED_OUT);
  private static final WaitEvent CALLER_IS_GONE = new WaitEvent.Ended(WaitEnd.ABANDONED);
  private static final WaitEvent CANCELLED = new WaitEvent.Ended(WaitEnd.CANCELLED);
  private static final WaitEvent STOPPING = new WaitEvent.Ended(WaitEnd.DRAINING);

  /** A state and how often the caller was answered on the way to it. */
  private record Path(WaitState state, int answers) {}

  /** What can come back on what is under way; a later call of the request may come at any time. */
  private static List<WaitEvent> possible(WaitState state) {
    List<WaitEvent> unasked =
        List.of(
            TIME_IS_UP,
            CALLER_IS_GONE,
            STOPPING,
            CANCELLED,
            Plain.NUDGED,
            Plain.DUE,
            Plain.SUPERSEDED);
    List<WaitEvent> replies =
        switch (state.phase()) {
          // A call that is to end does not enter the queue any more.
          case JOINING ->
              List.of(
                  MY_TURN,
                  NOT_MY_TURN,
                  Plain.GRANTED,
                  Plain.DECIDED_ELSEWHERE,
                  Plain.VANISHED,
                  Plain.IN_DOUBT,
                  state.end().isPresent() ? Plain.REMOVED : Plain.REFUSED);
          case KEEPING, GRANTING ->
              List.of(
                  MY_TURN,
                  NOT_MY_TURN,
                  Plain.GRANTED,
                  Plain.DECIDED_ELSEWHERE,
                  Plain.VANISHED,
                  Plain.IN_DOUBT);
          case LEAVING, CLEARING ->
              List.of(
                  Plain.REMOVED,
                  Plain.VANISHED,
                  Plain.GRANTED,
                  Plain.DECIDED_ELSEWHERE,
                  Plain.IN_DOUBT);
          case GIVING_BACK -> List.of(Plain.RETURNED, Plain.IN_DOUBT);
          case WAITING, DONE -> List.of();
        };
    return Stream.concat(unasked.stream(), replies.stream()).toList();
  }

  private interface Check {
    void step(WaitState from, WaitEvent event, WaitStep step);
  }

  private static Set<Path> explore(Check check) {
    Set<Path> seen = new HashSet<>();
    Deque<Path> open = new ArrayDeque<>(List.of(new Path(WaitState.JOINING, 0)));
    while (!open.isEmpty()) {
      Path path = open.pop();
      if (!seen.add(path)) {
        continue;
      }
      for (WaitEvent event : possible(path.state())) {
        WaitStep step = WaitMachine.step(path.state(), event);
        check.step(path.state(), event, step);
        open.push(new Path(step.state(), path.answers() + count(step, ANSWERS::contains)));
      }
    }
    assertThat(seen).hasSizeBetween(15, 500);
    return seen;
  }

  private static int count(WaitStep step, Predicate<WaitCommand> which) {
    return (int) step.commands().stream().filter(which).count();
  }

  @Test
  void everyCallIsAnsweredOnceAndThenNothingHappensAnyMore() {
    Set<Path> paths =
        explore(
            (from, event, step) -> {
              if (from.phase() == Phase.DONE) {
                assertThat(step.state().phase()).isEqualTo(Phase.DONE);
                assertThat(step.commands()).isEmpty();
              }
            });
    assertThat(paths)
        .allSatisfy(
            path -> {
              boolean over =
                  path.state().phase() == Phase.DONE || path.state().phase() == Phase.CLEARING;
              assertThat(path.answers()).as(path.toString()).isEqualTo(over ? 1 : 0);
            });
  }

  @Test
  void atMostOneTransactionOfACallIsUnderWay() {
    Set<Phase> busy = EnumSet.complementOf(EnumSet.of(Phase.WAITING, Phase.DONE));
    explore(
        (from, event, step) -> {
          boolean unasked =
              event instanceof WaitEvent.Ended
                  || event == Plain.NUDGED
                  || event == Plain.DUE
                  || event == Plain.SUPERSEDED;
          int sends = count(step, SENDS::contains);
          assertThat(sends).isLessThanOrEqualTo(1);
          if (unasked && busy.contains(from.phase())) {
            assertThat(sends).as(from + " on " + event).isZero();
          }
          if (busy.contains(step.state().phase()) && step.state().phase() != from.phase()) {
            assertThat(sends).as(from + " on " + event).isEqualTo(1);
          }
        });
  }

  @Test
  void aLockGrantedToNobodyIsGivenBackAndOneGrantedToSomebodyNever() {
    explore(
        (from, event, step) -> {
          if (event != Plain.GRANTED || from.phase() == Phase.DONE) {
            assertThat(step.commands()).doesNotContain(WaitCommand.GIVE_BACK);
          } else if (from.phase() != Phase.CLEARING) {
            assertThat(step.commands())
                .containsExactly(
                    from.isAbandoned() || from.isCancelled()
                        ? WaitCommand.GIVE_BACK
                        : WaitCommand.ANSWER_GRANT);
          }
        });
  }

  @Test
  void aCallThatEndsRemovesItsEntryBeforeItIsAnswered() {
    explore(
        (from, event, step) -> {
          if (step.commands().contains(WaitCommand.ANSWER_END)) {
            assertThat(from.end()).as(from + " on " + event).isPresent();
            assertThat(event).isIn(Plain.REMOVED, Plain.VANISHED, Plain.RETURNED, Plain.IN_DOUBT);
          }
          if (event == Plain.IN_DOUBT && from.phase() == Phase.LEAVING) {
            assertThat(step.commands()).containsExactly(WaitCommand.ANSWER_REFUSAL);
          }
        });
  }

  @Test
  void anEntryThatIsGoneIsNeverGranted() {
    explore(
        (from, event, step) -> {
          if (event == Plain.VANISHED && from.phase() != Phase.DONE) {
            assertThat(step.state().phase()).isEqualTo(Phase.DONE);
            assertThat(step.commands()).doesNotContain(WaitCommand.ANSWER_GRANT);
          }
        });
  }

  @Test
  void nobodyWhoLeavesTriesForTheLock() {
    explore(
        (from, event, step) -> {
          if (step.commands().contains(WaitCommand.GRANT)) {
            assertThat(step.state().wantsTheLock()).as(from + " on " + event).isTrue();
          }
        });
  }

  @Test
  void aCallWithoutPatienceStillTriesOnceWhenItIsItsTurn() {
    WaitState impatient = WaitState.JOINING.ending(WaitEnd.TIMED_OUT);
    assertThat(WaitMachine.step(impatient, MY_TURN).commands()).containsExactly(WaitCommand.GRANT);
    assertThat(WaitMachine.step(impatient, NOT_MY_TURN).commands())
        .containsExactly(WaitCommand.LEAVE);
  }

  @Test
  void aCancelledCallNeverTriesToTakeTheLockAgain() {
    explore(
        (from, event, step) -> {
          if (from.isCancelled()) {
            assertThat(step.commands()).as(from + " on " + event).doesNotContain(WaitCommand.GRANT);
          }
        });
  }

  @Test
  void aCallerWhoIsGoneCountsMoreThanTimeThatIsUp() {
    WaitState state = WaitState.JOINING.ending(WaitEnd.TIMED_OUT).ending(WaitEnd.ABANDONED);
    assertThat(state.end()).isEqualTo(Optional.of(WaitEnd.ABANDONED));
    assertThat(state.ending(WaitEnd.TIMED_OUT)).isEqualTo(state);
  }
}
