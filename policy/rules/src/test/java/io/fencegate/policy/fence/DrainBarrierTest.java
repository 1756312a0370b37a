/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseId;
import io.fencegate.policy.token.LeaseProof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class DrainBarrierTest {

  private static final long MILLI = 1_000_000L;
  private static final ResourceName R = new ResourceName("settlement/eu");
  private static final ResourceName OTHER = new ResourceName("settlement/us");
  private static final ClockReading START = at(0, 0);

  private final DrainBarrier barrier = new DrainBarrier(Duration.ofMillis(250));

  private static ClockReading at(long monotonicMillis, long wallMillis) {
    return new ClockReading(monotonicMillis * MILLI, wallMillis);
  }

  private static ClockReading at(long millis) {
    return at(millis, millis);
  }

  private static LeaseProof proof(long token) {
    byte[] secret = new byte[LeaseId.BYTES];
    secret[0] = (byte) token;
    return LeaseId.of(secret).proof();
  }

  private static WriteHeader header(long token) {
    return new WriteHeader(new FencingToken(token), proof(token));
  }

  private void verify(ResourceName resource, long token, ClockReading askedAt, ClockReading now) {
    Verification confirmed =
        new Verification(
            new FencingToken(token), proof(token), askedAt.monotonicNanos() + 1_000 * MILLI);
    barrier.verified(resource, confirmed, askedAt, now);
  }

  private Entry enter(long token, ClockReading now) {
    return barrier.enter(R, header(token), true, now);
  }

  private Permit entered(long token, ClockReading now) {
    return enter(token, now)
        .fold(
            permit -> permit,
            () -> {
              throw new AssertionError("verify first");
            },
            refusal -> {
              throw new AssertionError(refusal.toString());
            });
  }

  private static boolean isEntered(Entry entry) {
    return entry instanceof Entry.Entered;
  }

  private static boolean isVerifyFirst(Entry entry) {
    return entry instanceof Entry.VerifyFirst;
  }

  private static boolean isStale(Entry entry) {
    return entry instanceof Entry.Refused no && no.refusal().code() == RefusalCode.STALE_TOKEN;
  }

  @Test
  void anUnknownResourceIsVerifiedFirst() {
    assertThat(barrier.view(R)).isEqualTo(FenceView.BLANK);
    assertThat(isVerifyFirst(enter(42, START))).isTrue();
    assertThat(barrier.inFlight()).isZero();
    assertThat(barrier.inFlight(R)).isZero();
  }

  @Test
  void enteringRegistersAndMintsInOneStep() {
    verify(R, 42, START, START);
    Permit permit = entered(42, START);
    assertThat(permit.resource()).isEqualTo(R);
    assertThat(permit.token()).isEqualTo(new FencingToken(42));
    assertThat(permit).hasToString("Permit[settlement/eu, 42]");
    assertThat(barrier.inFlight(R)).isEqualTo(1);
    assertThat(barrier.inFlight()).isEqualTo(1);
    assertThat(barrier.view(R).epoch()).isEqualTo(new FencingToken(42));
  }

  @Test
  void whatIsLeftOfTheLeaseBoundsAWriteThatNeedsOne() {
    verify(R, 42, START, START);
    assertThat(barrier.leaseUntilNanos(entered(42, at(10)))).hasValue(1_000 * MILLI);
    Permit unleased = ((Entry.Entered) barrier.enter(R, header(42), false, at(10))).permit();
    assertThat(barrier.leaseUntilNanos(unleased)).isEmpty();
  }

  @Test
  void aConfirmationRunsOutOnceHalfOfItIsSpentAndTooLittleIsLeft() {
    assertThat(barrier.isRunningOut(R, 5_000 * MILLI, START)).isFalse();
    verify(R, 42, START, START);
    assertThat(barrier.isRunningOut(R, 5_000 * MILLI, at(500))).isFalse();
    assertThat(barrier.isRunningOut(R, 5_000 * MILLI, at(501))).isTrue();
    assertThat(barrier.isRunningOut(R, 1_000 * MILLI, at(501))).isFalse();
    assertThat(barrier.isRunningOut(R, 1_001 * MILLI, at(501))).isTrue();
    verify(R, 42, at(501), at(510));
    assertThat(barrier.isRunningOut(R, 5_000 * MILLI, at(511))).isFalse();
    barrier.withdraw(R, at(520));
    assertThat(barrier.isRunningOut(R, 5_000 * MILLI, at(1_400))).isFalse();
  }

  @Test
  void twoWritesOfOneTokenAreTwoPermits() {
    verify(R, 42, START, START);
    Permit one = entered(42, START);
    Permit two = entered(42, START);
    assertThat(one).isNotEqualTo(two);
    barrier.leave(one);
    assertThat(barrier.inFlight(R)).isEqualTo(1);
    barrier.leave(two);
    assertThat(barrier.inFlight(R)).isZero();
  }

  @Test
  void staleTokenIsRefusedOnceAHigherOneIsKnown() {
    barrier.raised(R, new FencingToken(43));
    assertThat(isStale(enter(42, START))).isTrue();
    assertThat(isVerifyFirst(enter(43, START))).isTrue();
  }

  @Test
  void secondCompareRefusesWhatANewerTokenHasOvertaken() {
    verify(R, 42, START, START);
    Permit older = entered(42, START);
    verify(R, 43, START, START);
    Permit newer = entered(43, START);
    List<String> events = new ArrayList<>();
    barrier.whenOlderLeft(newer, () -> events.add("newer proceeds"));
    assertThat(events).isEmpty();
    assertThat(isStale(barrier.confirm(older, START))).isTrue();
    assertThat(events).containsExactly("newer proceeds");
    assertThat(barrier.inFlight(R)).isEqualTo(1);
    assertThat(isEntered(barrier.confirm(newer, START))).isTrue();
  }

  @Test
  void newerTokensWaitForEveryOlderOneAndEqualOnesDoNot() {
    verify(R, 42, START, START);
    Permit first = entered(42, START);
    Permit second = entered(42, START);
    List<String> events = new ArrayList<>();
    barrier.whenOlderLeft(second, () -> events.add("second"));
    assertThat(events).containsExactly("second");
    verify(R, 43, START, START);
    Permit third = entered(43, START);
    barrier.whenOlderLeft(third, () -> events.add("third"));
    verify(R, 44, START, START);
    Permit fourth = entered(44, START);
    barrier.whenOlderLeft(fourth, () -> events.add("fourth"));
    barrier.leave(first);
    assertThat(events).containsExactly("second");
    barrier.leave(second);
    assertThat(events).containsExactly("second", "third");
    barrier.leave(third);
    assertThat(events).containsExactly("second", "third", "fourth");
  }

  @Test
  void resourcesDoNotHoldEachOtherUp() {
    verify(R, 42, START, START);
    entered(42, START);
    verify(OTHER, 43, START, START);
    Permit other = ((Entry.Entered) barrier.enter(OTHER, header(43), true, START)).permit();
    List<String> events = new ArrayList<>();
    barrier.whenOlderLeft(other, () -> events.add("proceeds"));
    assertThat(events).containsExactly("proceeds");
    assertThat(barrier.inFlight()).isEqualTo(2);
    assertThat(barrier.inFlight(OTHER)).isEqualTo(1);
  }

  private static boolean isBlocked(Entry entry) {
    return entry instanceof Entry.Refused no
        && no.refusal().code() == RefusalCode.PREDECESSOR_UNRESOLVED;
  }

  @Test
  void whatMayStillLandKeepsNewerTokensOutAndEqualOnesNot() {
    verify(R, 42, START, START);
    Permit doubtful = entered(42, START);
    verify(R, 43, START, START);
    Permit waiting = entered(43, START);
    List<String> events = new ArrayList<>();
    barrier.whenOlderLeft(waiting, () -> events.add("woken"));
    barrier.unresolved(doubtful, "d1", OptionalLong.empty());
    assertThat(events).containsExactly("woken");
    assertThat(barrier.unresolvedBefore(waiting, START)).isPresent();
    assertThat(isBlocked(barrier.confirm(waiting, START))).isTrue();
    assertThat(isBlocked(enter(43, START))).isTrue();
    assertThat(barrier.unresolved(R, START)).isEqualTo(1);
    assertThat(barrier.inFlight()).isZero();
  }

  @Test
  void equalTokensPassWhatMayStillLand() {
    verify(R, 42, START, START);
    barrier.unresolved(entered(42, START), "d1", OptionalLong.empty());
    assertThat(isEntered(enter(42, START))).isTrue();
  }

  @Test
  void doubtEndsWithItsTimeAndNotBefore() {
    verify(R, 42, START, START);
    barrier.unresolved(entered(42, START), "d1", OptionalLong.of(at(500).monotonicNanos()));
    verify(R, 43, START, START);
    assertThat(isBlocked(enter(43, at(499)))).isTrue();
    assertThat(isEntered(enter(43, at(500)))).isTrue();
    assertThat(barrier.unresolved(R, at(500))).isZero();
  }

  @Test
  void whatAnEarlierOwnerLeftKeepsNewerTokensOutUntilItIsResolved() {
    barrier.doubt(new Unresolved("lost-1", R, new FencingToken(41), 1, OptionalLong.empty()));
    verify(R, 42, START, START);
    assertThat(isBlocked(enter(42, START))).isTrue();
    assertThat(barrier.unresolvedIds(R, START)).containsExactly("lost-1");
    assertThat(barrier.resolve("lost-1", START)).isPresent();
    assertThat(isEntered(enter(42, START))).isTrue();
  }

  @Test
  void doubtsOfOneTokenAreOneUnderTheLastIdSoThatAnEarlierLookResolvesNone() {
    verify(R, 42, START, START);
    barrier.unresolved(entered(42, START), "d1", OptionalLong.empty());
    barrier.unresolved(entered(42, START), "d2", OptionalLong.empty());
    assertThat(barrier.unresolvedIds(R, START)).containsExactly("d2");
    assertThat(barrier.resolve("d1", START)).isEmpty();
    assertThat(barrier.unresolved(R, START)).isEqualTo(2);
    assertThat(barrier.lowestEntered(R)).isEmpty();
    assertThat(barrier.staleHere(R, new FencingToken(41))).isPresent();
    assertThat(barrier.staleHere(R, new FencingToken(42))).isEmpty();
  }

  @Test
  void doubtIsNeverForgottenAsIdle() {
    verify(R, 42, START, START);
    barrier.unresolved(entered(42, START), "d1", OptionalLong.empty());
    barrier.forgetIdle(at(1_000_000));
    verify(R, 43, at(1_000_001), at(1_000_001));
    assertThat(isBlocked(enter(43, at(1_000_001)))).isTrue();
  }

  @Test
  void whoLeavesIsNotWokenAnyMore() {
    verify(R, 42, START, START);
    Permit older = entered(42, START);
    verify(R, 43, START, START);
    Permit newer = entered(43, START);
    List<String> events = new ArrayList<>();
    barrier.whenOlderLeft(newer, () -> events.add("woken"));
    barrier.leave(newer);
    barrier.leave(older);
    assertThat(events).isEmpty();
  }

  @Test
  void secondCompareFailsOnAnythingThatEnterChecks() {
    verify(R, 42, START, START);
    Permit expired = entered(42, START);
    assertThat(isVerifyFirst(barrier.confirm(expired, at(1_000)))).isTrue();
    verify(R, 42, at(1_000), at(1_000));
    Permit withdrawn = entered(42, at(1_000));
    barrier.withdraw(R, at(1_000));
    assertThat(isVerifyFirst(barrier.confirm(withdrawn, at(1_000)))).isTrue();
    verify(R, 42, at(1_001), at(1_001));
    Permit raised = entered(42, at(1_001));
    barrier.raised(R, new FencingToken(43));
    assertThat(isStale(barrier.confirm(raised, at(1_001)))).isTrue();
    assertThat(barrier.inFlight()).isZero();
  }

  @Test
  void aWriteThatHasLeftIsNotConfirmedAnyMore() {
    verify(R, 42, START, START);
    Permit permit = entered(42, START);
    barrier.leave(permit);
    assertThat(isVerifyFirst(barrier.confirm(permit, START))).isTrue();
    assertThat(barrier.inFlight()).isZero();
  }

  @Test
  void leavingTwiceIsLeavingOnce() {
    verify(R, 42, START, START);
    Permit permit = entered(42, START);
    Permit another = entered(42, START);
    barrier.leave(permit);
    barrier.leave(permit);
    assertThat(barrier.inFlight(R)).isEqualTo(1);
    barrier.leave(another);
    barrier.forgetIdle(at(1_000));
    barrier.leave(another);
    assertThat(barrier.inFlight()).isZero();
  }

  @Test
  void clocksThatMoveApartVoidEveryVerification() {
    verify(R, 42, START, START);
    verify(OTHER, 7, START, START);
    assertThat(isEntered(enter(42, at(0, 250)))).isTrue();
    assertThat(isVerifyFirst(enter(42, at(0, 501)))).isTrue();
    assertThat(barrier.view(OTHER)).isEqualTo(new FenceView(new FencingToken(7), null));
  }

  @Test
  void aMachineThatStoodStillVoidsEveryVerificationInTheSecondCompareToo() {
    verify(R, 42, START, START);
    Permit permit = entered(42, START);
    assertThat(isVerifyFirst(barrier.confirm(permit, at(1, 400)))).isTrue();
    assertThat(barrier.inFlight()).isZero();
  }

  @Test
  void anAnswerThatWasAskedBeforeAClockJumpIsNotTrusted() {
    assertThat(isVerifyFirst(enter(42, START))).isTrue();
    assertThat(isVerifyFirst(enter(42, at(1, 5_001)))).isTrue();
    verify(R, 42, START, at(2, 5_002));
    assertThat(isVerifyFirst(enter(42, at(2, 5_002)))).isTrue();
    assertThat(barrier.view(R).epoch()).isEqualTo(new FencingToken(42));
    verify(R, 42, at(2, 5_002), at(3, 5_003));
    assertThat(isEntered(enter(42, at(3, 5_003)))).isTrue();
  }

  @Test
  void withdrawingConcernsOneResourceOrAll() {
    verify(R, 42, START, START);
    verify(OTHER, 42, START, START);
    barrier.withdraw(OTHER, START);
    barrier.withdraw(new ResourceName("unknown"), START);
    assertThat(isEntered(enter(42, START))).isTrue();
    assertThat(isVerifyFirst(barrier.enter(OTHER, header(42), true, START))).isTrue();
    barrier.withdrawAll(START);
    assertThat(isVerifyFirst(enter(42, START))).isTrue();
  }

  /** The answer was on its way while the lock was freed. */
  @Test
  void anAnswerThatWasAskedBeforeTheLockChangedLetsNothingOut() {
    barrier.withdraw(R, at(5));
    verify(R, 42, at(5), at(10));
    assertThat(isVerifyFirst(enter(42, at(10)))).isTrue();
    barrier.withdrawAll(at(11));
    verify(OTHER, 42, at(10), at(12));
    assertThat(isVerifyFirst(barrier.enter(OTHER, header(42), true, at(12)))).isTrue();
    verify(R, 42, at(12), at(12));
    assertThat(isEntered(enter(42, at(12)))).isTrue();
  }

  @Test
  void onlyIdleResourcesAreForgotten() {
    verify(R, 42, START, START);
    barrier.forgetIdle(at(999));
    assertThat(barrier.view(R).epoch()).isNotNull();
    Permit permit = entered(42, at(999));
    barrier.forgetIdle(at(1_000));
    assertThat(barrier.view(R).epoch()).isNotNull();
    barrier.leave(permit);
    barrier.forgetIdle(at(1_000));
    assertThat(barrier.view(R)).isEqualTo(FenceView.BLANK);
  }

  /** 41 was released early, 42 held for a moment; the answer about 41 was long on its way. */
  @Test
  void anAnswerThatWasAskedBeforeForgettingLetsNothingOut() {
    verify(R, 42, START, START);
    barrier.leave(entered(42, START));
    barrier.withdraw(R, START);
    barrier.forgetIdle(at(10));
    assertThat(barrier.view(R)).isEqualTo(FenceView.BLANK);
    verify(R, 41, START, at(20));
    assertThat(isVerifyFirst(enter(41, at(20)))).isTrue();
    verify(R, 42, at(20), at(20));
    assertThat(isStale(enter(41, at(20)))).isTrue();
    assertThat(isEntered(enter(42, at(20)))).isTrue();
  }

  @Test
  void theSecondCompareKnowsWhetherALeaseIsRequired() {
    WriteHeader bare = new WriteHeader(new FencingToken(42), null);
    Entry refused = barrier.enter(R, bare, true, START);
    String code = refused.fold(p -> "", () -> "", no -> no.code().wireName());
    assertThat(code).isEqualTo("lease-required");
    barrier.verified(R, new Verification(new FencingToken(42), null, 1_000 * MILLI), START, START);
    Entry entered = barrier.enter(R, bare, false, START);
    Permit permit = ((Entry.Entered) entered).permit();
    assertThat(isEntered(barrier.confirm(permit, START))).isTrue();
  }

  @Test
  void aClockJumpThatAnAnswerShowsVoidsAllVerificationsUntilTheyAreAskedAnew() {
    verify(OTHER, 7, START, START);
    verify(R, 42, at(1, 5_001), at(1, 5_001));
    assertThat(barrier.view(OTHER).verification()).isNull();
    assertThat(barrier.view(R).verification()).isNull();
    verify(R, 42, at(2, 5_002), at(2, 5_002));
    assertThat(barrier.view(R).verification()).isNotNull();
  }

  @Test
  void clocksMayDisagreeByTheMarginItself() {
    verify(R, 42, START, at(0, 250));
    assertThat(isEntered(enter(42, at(0, 250)))).isTrue();
    verify(R, 43, START, at(0, 251));
    assertThat(isVerifyFirst(enter(43, at(0, 251)))).isTrue();
  }

  @Test
  void anAnswerAskedInTheInstantOfForgettingLetsNothingOut() {
    verify(R, 42, START, START);
    barrier.withdraw(R, START);
    barrier.forgetIdle(at(10));
    verify(R, 41, at(10), at(10));
    assertThat(isVerifyFirst(enter(41, at(10)))).isTrue();
    verify(R, 41, new ClockReading(10 * MILLI + 1, 10), at(11));
    assertThat(isEntered(enter(41, at(11)))).isTrue();
  }
}
