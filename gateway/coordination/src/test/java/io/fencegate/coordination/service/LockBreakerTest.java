/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.epoch.Verified;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.operator.Broken;
import io.fencegate.coordination.store.Batch;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LockBreakerTest extends CoordinationFixture {

  private static final ResourceName R = resource("a/b");

  /** Before the gateway gives a held batch up. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private Broken breakLock(Party party, Optional<FencingToken> only) {
    return granted(party.call(() -> party.coordination().breaker().breakLock(R, only, deadline())));
  }

  private Ruling<Verified> verify(Party party, Grant grant) {
    return party.call(
        () ->
            party
                .coordination()
                .epochs()
                .verifyAndRaise(
                    R,
                    new WriteHeader(grant.token(), grant.leaseId().proof()),
                    true,
                    null,
                    deadline()));
  }

  private Grant acquire(Party party, String requestId) {
    return granted(party.acquire(request(R.value(), requestId), deadline()));
  }

  private static FencingToken above(FencingToken token) {
    return new FencingToken(token.value() + 1);
  }

  private FencingToken epoch() {
    return EpochRecord.raisedIn(read(keys.epoch(R)).orElseThrow());
  }

  private boolean breaks(Batch batch) {
    return writes(batch, keys.epoch(R)) && writes(batch, keys.lock(R));
  }

  @Test
  void theHoldersTokenIsShutOutAndTheNextHoldersIsNot() {
    Party party = party();
    Grant old = acquire(party, "r1");
    granted(verify(party, old));
    assertThat(breakLock(party, Optional.empty()))
        .isEqualTo(
            new Broken(
                Optional.of(old.token()), Optional.of(above(old.token())), Optional.empty()));
    assertThat(refused(verify(party, old)).code()).isEqualTo(RefusalCode.STALE_TOKEN);
    assertThat(
            granted(
                party.call(
                    () -> party.coordination().locks().release(R, old.leaseId(), deadline()))))
        .isEqualTo(Release.ALREADY_RELEASED);
    Grant next = acquire(party, "r2");
    granted(verify(party, next));
    assertThat(epoch()).isEqualTo(next.token());
  }

  @Test
  void aHolderWhoNeverWroteIsShutOutToo() {
    Party party = party();
    Grant old = acquire(party, "r1");
    breakLock(party, Optional.of(old.token()));
    assertThat(epoch()).isEqualTo(above(old.token()));
    assertThat(refused(verify(party, old)).code()).isEqualTo(RefusalCode.STALE_TOKEN);
  }

  @Test
  void theNumberThatABreakRaisesToIsNobodysToken() {
    Party party = party();
    Grant old = acquire(party, "r1");
    granted(verify(party, old));
    breakLock(party, Optional.of(old.token()));
    FencingToken fence = above(old.token());
    for (FencingToken seen : new FencingToken[] {null, old.token(), fence}) {
      assertThat(refused(verifyWithoutLease(party, fence, seen)).code())
          .isEqualTo(RefusalCode.TOKEN_NOT_ISSUED);
    }
    assertThat(refused(verifyWithoutLease(party, old.token(), null)).code())
        .isEqualTo(RefusalCode.STALE_TOKEN);
    Grant next = acquire(party, "r2");
    granted(verifyWithoutLease(party, next.token(), fence));
    assertThat(release(party, next)).isEqualTo(Release.RELEASED);
    granted(verifyWithoutLease(party, next.token(), next.token()));
  }

  private Ruling<Verified> verifyWithoutLease(
      Party party, FencingToken token, @Nullable FencingToken seen) {
    return party.call(
        () ->
            party
                .coordination()
                .epochs()
                .verifyAndRaise(R, new WriteHeader(token, null), false, seen, deadline()));
  }

  @Test
  void aLockThatNobodyHoldsIsLeftAlone() {
    Party party = party();
    assertThat(breakLock(party, Optional.empty()))
        .isEqualTo(new Broken(Optional.empty(), Optional.empty(), Optional.empty()));
  }

  @Test
  void onlyTheNamedHolderIsBroken() {
    Party party = party();
    Grant first = acquire(party, "r1");
    breakLock(party, Optional.of(first.token()));
    Grant second = acquire(party, "r2");
    Broken again = breakLock(party, Optional.of(first.token()));
    assertThat(again.token()).as("it is shut out").hasValue(first.token());
    granted(verify(party, second));
    assertThat(breakLock(party, Optional.of(above(above(second.token())))).token()).isEmpty();
    granted(verify(party, second));
  }

  @Test
  void aBreakWhoseAnswerWasLostIsRecognisedAndHitsNobodyElse() {
    Party party = party();
    Grant old = acquire(party, "r1");
    store.loseReply(this::breaks);
    assertThat(breakLock(party, Optional.empty()).token()).hasValue(old.token());
    assertThat(epoch()).isEqualTo(above(old.token()));
  }

  @Test
  void aBreakInDoubtSaysWhichTokenARepeatHasToName() {
    Party party = party();
    Grant old = acquire(party, "r1");
    store.hold(this::breaks);
    Refusal refusal =
        refused(
            party.call(
                () ->
                    party
                        .coordination()
                        .breaker()
                        .breakLock(
                            R, Optional.empty(), clocks.read().monotonicNanos() + SOON.toNanos())));
    store.letGo();
    assertThat(refusal.certainty()).isEqualTo(Certainty.UNKNOWN);
    assertThat(refusal.detail()).contains("repeat with fencingToken " + old.token());
    assertThat(breakLock(party, Optional.of(old.token())).token()).hasValue(old.token());
  }

  @Test
  void aBreakThatArrivesLateDoesNotHitTheNextHolder() {
    Party party = party();
    Grant old = acquire(party, "r1");
    store.delay(this::breaks);
    assertThat(breakLock(party, Optional.empty()).token()).hasValue(old.token());
    Grant next = acquire(party, "r2");
    granted(verify(party, next));
    store.deliverDelayed().forEach(CoordinationFixture::await);
    granted(verify(party, next));
    assertThat(epoch()).isEqualTo(next.token());
  }

  @Test
  void anEpochThatIsHigherAlreadyStays() {
    Party party = party();
    Grant old = acquire(party, "r1");
    FencingToken higher = new FencingToken(old.token().value() + 1_000);
    put(keys.epoch(R), EpochRecord.accepted(higher).encode());
    Broken broken = breakLock(party, Optional.empty());
    assertThat(broken.token()).hasValue(old.token());
    assertThat(broken.epoch()).hasValue(higher);
    assertThat(epoch()).isEqualTo(higher);
  }
}
