/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.epoch.ForeignEpochs;
import io.fencegate.coordination.epoch.Verified;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.model.TokenSource;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Epochs that tokens of somebody else raise, and that those of locks never do. */
class ExternalEpochsTest extends CoordinationFixture {

  private static final ResourceName R = resource("ledger/acme");
  private static final ForeignEpochs.Foreign SOURCE =
      new ForeignEpochs.Foreign.External(
          new TokenSource.External(new FencingToken(10), 100, Optional.empty()));

  private Ruling<Verified> raise(Party party, long token) {
    return party.call(
        () ->
            party
                .coordination()
                .foreignEpochs()
                .verifyAndRaise(R, new FencingToken(token), SOURCE, deadline()));
  }

  private Optional<EpochRecord> epoch() {
    return read(keys.epoch(R)).map(entry -> EpochRecord.decode(entry.value()));
  }

  private void assertEpoch(long token) {
    assertThat(epoch()).contains(EpochRecord.external(new FencingToken(token)));
    assertThat(read(keys.epochSource(R))).isPresent();
  }

  private void assertNotIssued(Ruling<Verified> ruling) {
    assertThat(refused(ruling).code()).isEqualTo(RefusalCode.TOKEN_NOT_ISSUED);
  }

  @Test
  void theFirstTokenIsWithinStartAndMaxJumpAboveIt() {
    Party party = party();
    for (long outside : List.of(1L, 9L, 111L, Long.MAX_VALUE)) {
      assertNotIssued(raise(party, outside));
      assertThat(epoch()).isEmpty();
    }
    Verified first = granted(raise(party, 110));
    assertThat(first.verification().token()).isEqualTo(new FencingToken(110));
    assertThat(first.confirmed()).isNull();
    assertEpoch(110);
  }

  @Test
  void theEpochRisesByBoundedJumpsAndNeverFalls() {
    Party party = party();
    granted(raise(party, 10));
    granted(raise(party, 110));
    granted(raise(party, 110));
    assertNotIssued(raise(party, 211));
    assertNotIssued(raise(party, Long.MAX_VALUE));
    Refusal stale = refused(raise(party, 109));
    assertThat(stale.code()).isEqualTo(RefusalCode.STALE_TOKEN);
    assertThat(stale.epoch()).isEqualTo(new FencingToken(110));
    assertEpoch(110);
    granted(raise(party, 210));
    assertEpoch(210);
  }

  @Test
  void whatIsOnlyVerifiedRaisesNothing() {
    Party party = party();
    granted(
        party.call(
            () ->
                party
                    .coordination()
                    .foreignEpochs()
                    .verify(R, new FencingToken(50), SOURCE, deadline())));
    assertThat(epoch()).isEmpty();
  }

  @Test
  void twoGatewaysThatRaiseAtOnceLeaveTheHigherToken() {
    Party one = party();
    Party two = party();
    for (int round = 0; round < 20; round++) {
      long low = 20 + 2L * round;
      List<Ruling<Verified>> rulings = new ArrayList<>();
      Future<Ruling<Verified>> high = start(two, low + 1);
      rulings.add(raise(one, low));
      rulings.add(await(high));
      assertEpoch(low + 1);
      granted(rulings.get(1));
      rulings
          .get(0)
          .fold(
              ok -> Optional.empty(),
              refusal -> {
                assertThat(refusal.code()).isEqualTo(RefusalCode.STALE_TOKEN);
                return Optional.empty();
              });
    }
  }

  private Future<Ruling<Verified>> start(Party party, long token) {
    io.vertx.core.Promise<Ruling<Verified>> promise = io.vertx.core.Promise.promise();
    party
        .context()
        .runOnContext(
            unused ->
                party
                    .coordination()
                    .foreignEpochs()
                    .verifyAndRaise(R, new FencingToken(token), SOURCE, deadline())
                    .onComplete(promise));
    return promise.future();
  }

  @Test
  void aLostReplyOfARaiseIsStillVerified() {
    Party party = party();
    store.loseReply(batch -> writes(batch, keys.epoch(R)));
    granted(raise(party, 10));
    assertEpoch(10);
  }

  private Ruling<Verified> raiseByLock(Party party, Grant grant, @Nullable FencingToken seen) {
    return party.call(
        () ->
            party
                .coordination()
                .epochs()
                .verifyAndRaise(
                    R,
                    new WriteHeader(grant.token(), grant.leaseId().proof()),
                    true,
                    seen,
                    deadline()));
  }

  @Test
  void aLocksTokenNeverRaisesAnEpochOfAnotherSourceWhateverWasSeenBefore() {
    Party party = party();
    granted(raise(party, 50));
    Grant grant = granted(party.acquire(request(R.value(), "r1"), deadline()));
    List<@Nullable FencingToken> seen = new ArrayList<>();
    seen.add(null);
    seen.add(new FencingToken(3));
    seen.add(new FencingToken(grant.token().value() - 1));
    seen.add(grant.token());
    for (FencingToken before : seen) {
      assertThat(refused(raiseByLock(party, grant, before)).code()).isEqualTo(RefusalCode.HANDOVER);
      assertEpoch(50);
    }
  }

  @Test
  void aTokenOfAnotherSourceNeverRaisesALocksEpoch() {
    Party party = party();
    Grant grant = granted(party.acquire(request(R.value(), "r1"), deadline()));
    granted(raiseByLock(party, grant, null));
    assertThat(refused(raise(party, 50)).code()).isEqualTo(RefusalCode.HANDOVER);
    assertThat(epoch()).contains(EpochRecord.accepted(grant.token()));
  }

  @Test
  void aBreakLeavesAnEpochOfAnotherSourceAlone() {
    Party party = party();
    granted(raise(party, 50));
    granted(party.acquire(request(R.value(), "r1"), deadline()));
    granted(
        party.call(
            () -> party.coordination().breaker().breakLock(R, Optional.empty(), deadline())));
    assertThat(read(keys.lock(R))).isEmpty();
    assertEpoch(50);
  }

  @Test
  void aResetForgetsEpochConfirmationAndSourceSoThatTheOtherSourceCounts() {
    Party party = party();
    granted(raise(party, 50));
    party.call(
        () -> party.coordination().epochs().confirm(R, new FencingToken(50), null, deadline()));
    for (Optional<EpochRecord> expected :
        List.of(
            Optional.of(EpochRecord.external(new FencingToken(50))),
            Optional.<EpochRecord>empty())) {
      Ruling<Optional<EpochRecord>> reset =
          party.call(() -> party.coordination().epochReset().reset(R, record -> true, deadline()));
      assertThat(granted(reset)).isEqualTo(expected);
      assertThat(read(keys.epoch(R))).isEmpty();
      assertThat(read(keys.confirmed(R))).isEmpty();
      assertThat(read(keys.epochSource(R))).isEmpty();
    }
    Grant grant = granted(party.acquire(request(R.value(), "r1"), deadline()));
    granted(raiseByLock(party, grant, new FencingToken(50)));
    assertThat(epoch()).contains(EpochRecord.accepted(grant.token()));
  }

  @Test
  void aResetThatIsNotWantedForgetsNothing() {
    Party party = party();
    granted(raise(party, 50));
    Ruling<Optional<EpochRecord>> reset =
        party.call(
            () -> party.coordination().epochReset().reset(R, EpochRecord::isOfLocks, deadline()));
    assertThat(refused(reset).code()).isEqualTo(RefusalCode.INVALID_REQUEST);
    assertEpoch(50);
  }
}
