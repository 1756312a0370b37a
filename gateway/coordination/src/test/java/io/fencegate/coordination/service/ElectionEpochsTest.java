/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.epoch.ForeignEpochs;
import io.fencegate.coordination.epoch.Verified;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.model.TokenSource;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Epochs that the candidates of other clients of the store raise. */
class ElectionEpochsTest extends CoordinationFixture {

  private static final ResourceName R = resource("settlement/eu");

  private final String prefix = "/elections/" + UUID.randomUUID() + "/";

  private Key candidate(String name) {
    return new Key(prefix + name);
  }

  /** Puts a candidate's key and answers its create revision. */
  private long stand(String name, LeaseHandle lease) {
    return commit(new Op.Put(candidate(name), Value.of("me"), lease)).revision();
  }

  private long stand(String name) {
    return stand(name, lease());
  }

  private void resign(String name) {
    commit(new Op.Delete(candidate(name)));
  }

  private Ruling<Verified> raise(Party party, long token) {
    return party.call(
        () ->
            party
                .coordination()
                .foreignEpochs()
                .verifyAndRaise(
                    R,
                    new FencingToken(token),
                    new ForeignEpochs.Foreign.Election(prefix),
                    deadline()));
  }

  private RefusalCode no(Ruling<Verified> ruling) {
    return refused(ruling).code();
  }

  private Optional<EpochRecord> epoch() {
    return read(keys.epoch(R)).map(entry -> EpochRecord.decode(entry.value()));
  }

  @Test
  void onlyTheFirstCandidateRaisesTheEpochToItsCreateRevision() {
    Party party = party();
    assertThat(no(raise(party, 1))).isEqualTo(RefusalCode.LEASE_EXPIRED);
    long first = stand("a");
    long second = stand("b");
    assertThat(no(raise(party, second))).isEqualTo(RefusalCode.TOKEN_NOT_ISSUED);
    assertThat(no(raise(party, first - 1))).isEqualTo(RefusalCode.STALE_TOKEN);
    assertThat(no(raise(party, Long.MAX_VALUE))).isEqualTo(RefusalCode.TOKEN_NOT_ISSUED);
    assertThat(epoch()).isEmpty();
    granted(raise(party, first));
    granted(raise(party, first));
    assertThat(epoch()).contains(EpochRecord.election(new FencingToken(first)));
    resign("a");
    assertThat(no(raise(party, first))).isEqualTo(RefusalCode.STALE_TOKEN);
    granted(raise(party, second));
    assertThat(epoch()).contains(EpochRecord.election(new FencingToken(second)));
    assertThat(no(raise(party, first))).isEqualTo(RefusalCode.STALE_TOKEN);
  }

  @Test
  void whoStoodDownAndStandsAgainHasAnotherToken() {
    Party party = party();
    long first = stand("a");
    granted(raise(party, first));
    resign("a");
    long again = stand("a");
    assertThat(no(raise(party, first))).isEqualTo(RefusalCode.STALE_TOKEN);
    granted(raise(party, again));
  }

  @Test
  void withoutACandidateNobodyWritesNotEvenWithTheEpochItself() {
    Party party = party();
    long first = stand("a");
    granted(raise(party, first));
    resign("a");
    assertThat(no(raise(party, first))).isEqualTo(RefusalCode.LEASE_EXPIRED);
  }

  @Test
  void aCandidateWithoutALeaseIsNotBelieved() {
    Party party = party();
    long first = stand("a", LeaseHandle.NONE);
    assertThat(no(raise(party, first))).isEqualTo(RefusalCode.TOKEN_NOT_ISSUED);
    assertThat(epoch()).isEmpty();
  }

  @Test
  void aConfirmationIsGoodForAHeartbeatAtMostAndNoLongerThanTheLease() {
    Party party = party();
    Verified longLease = granted(raise(party, stand("a")));
    long after = clocks.read().monotonicNanos();
    assertThat(longLease.verification().goodUntilNanos() - after)
        .isLessThanOrEqualTo(Duration.ofSeconds(5).toNanos());
    resign("a");
    LeaseHandle shortLease = await(store.grant(3));
    Verified soonOver = granted(raise(party, stand("b", shortLease)));
    assertThat(soonOver.verification().goodUntilNanos() - clocks.read().monotonicNanos())
        .isLessThan(Duration.ofSeconds(3).toNanos());
  }

  @Test
  void epochsOfOtherSourcesAreLeftAlone() {
    Party party = party();
    var external =
        new ForeignEpochs.Foreign.External(
            new TokenSource.External(new FencingToken(1), 1_000_000, Optional.empty()));
    granted(
        party.call(
            () ->
                party
                    .coordination()
                    .foreignEpochs()
                    .verifyAndRaise(R, new FencingToken(3), external, deadline())));
    long first = stand("a");
    assertThat(no(raise(party, first))).isEqualTo(RefusalCode.HANDOVER);
    assertThat(epoch()).contains(EpochRecord.external(new FencingToken(3)));
  }
}
