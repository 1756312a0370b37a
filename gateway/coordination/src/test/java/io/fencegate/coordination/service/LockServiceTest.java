/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.LockView;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.lock.Renewal;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.LeaseId;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LockServiceTest extends CoordinationFixture {

  private static final Duration MAX_HOLD = Duration.ofHours(12);

  private Ruling<Renewal> renew(Party party, Grant grant, Duration maxHold) {
    return party.call(
        () ->
            party
                .coordination()
                .locks()
                .renew(grant.resource(), grant.leaseId(), Optional.empty(), maxHold, deadline()));
  }

  private LockView show(Party party, String resource) {
    return granted(
        party.call(() -> party.coordination().locks().show(resource(resource), deadline())));
  }

  @Test
  void tokensOfOneResourceOnlyRise() {
    Party party = party();
    long last = 0;
    for (int i = 0; i < 20; i++) {
      Grant grant = granted(party.acquire(request("a/b", "r" + i), deadline()));
      assertThat(grant.token().value()).isGreaterThan(last);
      last = grant.token().value();
      assertThat(release(party, grant)).isEqualTo(Release.RELEASED);
    }
  }

  @Test
  void heldLockIsRefusedWithAHintAndTheHoldersToken() {
    Party party = party();
    Grant grant = granted(party.acquire(request("a", "r1"), deadline()));
    var refusal = refused(party().acquire(request("a", "r2"), deadline()));
    assertThat(refusal.code()).isEqualTo(RefusalCode.LOCK_HELD);
    assertThat(refusal.retryAfterMillis()).isPositive();
    assertThat(refusal.detail()).contains(grant.token().toString());
  }

  @Test
  void aRepeatOnAnyGatewayGetsTheFirstResult() {
    Grant first = granted(party().acquire(request("a", "r1"), deadline()));
    Grant again = granted(party().acquire(request("a", "r1"), deadline()));
    assertThat(again.leaseId()).isEqualTo(first.leaseId());
    assertThat(again.token()).isEqualTo(first.token());
    assertThat(again.remainingMillis()).isPositive();
  }

  @Test
  void aRepeatAfterReleaseGetsTheFirstResultWithNothingRemainingAndNeverANewGrant() {
    Party party = party();
    Grant first = granted(party.acquire(request("a", "r1"), deadline()));
    release(party, first);
    Grant again = granted(party.acquire(request("a", "r1"), deadline()));
    assertThat(again.token()).isEqualTo(first.token());
    assertThat(again.remainingMillis()).isZero();
    assertThat(show(party, "a")).isInstanceOf(LockView.Free.class);
  }

  @Test
  void aRepeatWithOtherParametersIsRefused() {
    Party party = party();
    AcquireRequest request = request("a", "r1");
    granted(party.acquire(request, deadline()));
    AcquireRequest other =
        new AcquireRequest(
            request.resource(),
            request.principal(),
            request.requestId(),
            new HolderId("somebody else"),
            request.ttl(),
            request.metadataJson(),
            request.dedupRetention());
    assertThat(refused(party.acquire(other, deadline())).code())
        .isEqualTo(RefusalCode.REQUEST_ID_REUSED);
  }

  @Test
  void onlyTheOwningLeaseRenewsAndReleases() {
    Party party = party();
    Grant first = granted(party.acquire(request("a", "r1"), deadline()));
    release(party, first);
    Grant second = granted(party.acquire(request("a", "r2"), deadline()));
    assertThat(refused(renew(party, first, MAX_HOLD)).code()).isEqualTo(RefusalCode.LEASE_LOST);
    assertThat(release(party, first)).isEqualTo(Release.NOT_HELD);
    assertThat(granted(renew(party, second, MAX_HOLD)).token()).isEqualTo(second.token());
    assertThat(release(party, second)).isEqualTo(Release.RELEASED);
    assertThat(release(party, second)).isEqualTo(Release.ALREADY_RELEASED);
  }

  @Test
  void aRenewalKeepsTheTokenAndMovesTheLockToAnotherLease() {
    Party party = party();
    AcquireRequest shortLived = lasting("a", Duration.ofSeconds(2));
    Grant grant = granted(party.acquire(shortLived, deadline()));
    Entry before = read(keys.lock(resource("a"))).orElseThrow();
    Ruling<Renewal> renewed =
        party.call(
            () ->
                party
                    .coordination()
                    .locks()
                    .renew(
                        grant.resource(),
                        grant.leaseId(),
                        Optional.of(Duration.ofSeconds(60)),
                        MAX_HOLD,
                        deadline()));
    Entry after = read(keys.lock(resource("a"))).orElseThrow();
    assertThat(granted(renewed).remainingMillis()).isGreaterThan(30_000);
    assertThat(granted(renewed).token()).isEqualTo(grant.token());
    assertThat(after.createRevision()).isEqualTo(before.createRevision());
    assertThat(after.lease()).isNotEqualTo(before.lease());
  }

  @Test
  void aHoldLongerThanMaxHoldIsNotRenewed() {
    Party party = party();
    Grant grant = granted(party.acquire(request("a", "r1"), deadline()));
    assertThat(refused(renew(party, grant, Duration.ofMillis(-1))).code())
        .isEqualTo(RefusalCode.LEASE_LOST);
  }

  @Test
  void aLeaseThatIsNotRenewedRunsOutAndTheNextTokenIsHigher() {
    Party party = party();
    AcquireRequest brief = lasting("a", Duration.ofSeconds(2));
    Grant first = granted(party.acquire(brief, deadline()));
    org.awaitility.Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> show(party, "a") instanceof LockView.Free);
    Grant second = granted(party.acquire(request("a", "r2"), deadline()));
    assertThat(second.token().isAbove(first.token())).isTrue();
    assertThat(refused(renew(party, first, MAX_HOLD)).code()).isEqualTo(RefusalCode.LEASE_LOST);
  }

  @Test
  void aLostReplyOfAnAcquireStillGivesOneGrantUnderOneLease() {
    Party party = party();
    store.loseReply(batch -> putsLock(batch, "a"));
    Grant grant = granted(party.acquire(request("a", "r1"), deadline()));
    assertThat(grant.remainingMillis()).isPositive();
    assertThat(read(keys.lock(resource("a"))).orElseThrow().createRevision())
        .isEqualTo(grant.token().revision());
    assertThat(granted(renew(party, grant, MAX_HOLD)).token()).isEqualTo(grant.token());
  }

  @Test
  void anAcquireThatArrivesAfterItsDoubtWasSettledIsNotCommitted() {
    Party party = party();
    store.delay(batch -> putsLock(batch, "a"));
    Grant grant = granted(party.acquire(request("a", "r1"), deadline()));
    release(party, grant);
    for (Future<BatchResult> late : store.deliverDelayed()) {
      assertThat(await(late)).isInstanceOf(BatchResult.Fenced.class);
    }
    assertThat(show(party, "a")).isInstanceOf(LockView.Free.class);
  }

  @Test
  void aLostReplyOfAReleaseIsAnsweredAsReleased() {
    Party party = party();
    Grant grant = granted(party.acquire(request("a", "r1"), deadline()));
    store.loseReply(batch -> writes(batch, keys.lock(resource("a"))));
    assertThat(release(party, grant)).isEqualTo(Release.RELEASED);
  }

  @Test
  void aReleaseThatArrivesLateFreesNobodyElsesLock() {
    Party party = party();
    Grant first = granted(party.acquire(request("a", "r1"), deadline()));
    store.delay(batch -> writes(batch, keys.lock(resource("a"))));
    assertThat(release(party, first)).isEqualTo(Release.RELEASED);
    Grant second = granted(party.acquire(request("a", "r2"), deadline()));
    store.deliverDelayed().forEach(CoordinationFixture::await);
    assertThat(((LockView.Held) show(party, "a")).token()).isEqualTo(second.token());
  }

  @Test
  void aLostReplyOfARenewalIsNotALostLease() {
    Party party = party();
    Grant grant = granted(party.acquire(request("a", "r1"), deadline()));
    store.loseReply(batch -> writes(batch, keys.lock(resource("a"))));
    assertThat(granted(renew(party, grant, MAX_HOLD)).token()).isEqualTo(grant.token());
  }

  @Test
  void ofManyWhoAcquireAtOnceThroughTwoGatewaysExactlyOneGetsTheLock() {
    Party one = party();
    Party two = party();
    for (int round = 0; round < 10; round++) {
      String resource = "many/" + round;
      List<Future<Ruling<Grant>>> calls = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Party party = i % 2 == 0 ? one : two;
        AcquireRequest request = request(resource, "r" + i);
        Promise<Ruling<Grant>> promise = Promise.promise();
        party
            .context()
            .runOnContext(
                unused ->
                    party.coordination().locks().acquire(request, deadline()).onComplete(promise));
        calls.add(promise.future());
      }
      Set<LeaseId> leases = new HashSet<>();
      calls.forEach(call -> await(call).fold(g -> leases.add(g.leaseId()), refusal -> false));
      assertThat(leases).hasSize(1);
    }
  }

  @Test
  void aGatewayWhoseSessionIsGoneOpensANewOneAndGoesOn() {
    Party party = party();
    granted(party.acquire(request("a", "r1"), deadline()));
    await(store.range(keys.gateways(), 10))
        .entries()
        .forEach(entry -> commit(new io.fencegate.coordination.store.Op.Delete(entry.key())));
    Grant grant = granted(party.acquire(request("b", "r2"), deadline()));
    assertThat(grant.token().value()).isPositive();
  }

  @Test
  void raisingTheGenerationVoidsLocksAndMakesNewTokensHigher() {
    Party party = party();
    Grant old = granted(party.acquire(request("a", "r1"), deadline()));
    put(
        keys.generation(),
        new io.fencegate.coordination.key.GenerationRecord(
                new io.fencegate.policy.token.Generation(1))
            .encode());
    assertThat(refused(renew(party, old, MAX_HOLD)).code()).isEqualTo(RefusalCode.LEASE_LOST);
    Grant fresh = granted(party.acquire(request("b", "r2"), deadline()));
    assertThat(fresh.token().generation().value()).isEqualTo(1);
    assertThat(fresh.token().isAbove(old.token())).isTrue();
  }

  private AcquireRequest lasting(String resource, Duration ttl) {
    AcquireRequest base = request(resource, "r1");
    return new AcquireRequest(
        base.resource(),
        base.principal(),
        base.requestId(),
        base.holder(),
        ttl,
        "{}",
        base.dedupRetention());
  }

  @Test
  void everyTtlClassCanBeGranted() {
    Party party = party();
    for (int seconds : List.of(2, 3, 5, 8, 10, 15, 20, 30, 60, 120, 300, 600, 1800, 3600, 21600)) {
      Grant grant =
          granted(
              party.acquire(lasting("ttl/" + seconds, Duration.ofSeconds(seconds)), deadline()));
      assertThat(grant.ttl()).isEqualTo(Duration.ofSeconds(seconds));
    }
    assertThat(granted(party.acquire(lasting("ttl/day", Duration.ofDays(1)), deadline())).ttl())
        .isEqualTo(Duration.ofDays(1));
  }

  @Test
  void aRenewalOfAnotherResourceWithTheSameLeaseIsNotAnsweredForThisOne() {
    Party party = party();
    Grant mine = granted(party.acquire(request("a", "r1"), deadline()));
    granted(party.acquire(request("b", "r2"), deadline()));
    Promise<Ruling<Renewal>> own = Promise.promise();
    Promise<Ruling<Renewal>> others = Promise.promise();
    party
        .context()
        .runOnContext(
            unused -> {
              var locks = party.coordination().locks();
              locks
                  .renew(resource("a"), mine.leaseId(), Optional.empty(), MAX_HOLD, deadline())
                  .onComplete(own);
              locks
                  .renew(resource("b"), mine.leaseId(), Optional.empty(), MAX_HOLD, deadline())
                  .onComplete(others);
            });
    assertThat(granted(await(own.future())).resource()).isEqualTo(resource("a"));
    assertThat(refused(await(others.future())).code()).isEqualTo(RefusalCode.LEASE_LOST);
  }

  @Test
  void aRenewalIsRightHoweverLittleTheGatewayRemembers() {
    Party granting = party();
    Party other = party();
    Grant grant = granted(granting.acquire(request("a", "r1"), deadline()));
    for (Party party : List.of(granting, granting, other, granting, other, other, granting)) {
      Renewal renewal = granted(renew(party, grant, MAX_HOLD));
      assertThat(renewal.token()).isEqualTo(grant.token());
      assertThat(renewal.remainingMillis()).isBetween(28_000L, 30_000L);
    }
    assertThat(release(other, grant)).isEqualTo(Release.RELEASED);
    assertThat(refused(renew(granting, grant, MAX_HOLD)).code()).isEqualTo(RefusalCode.LEASE_LOST);
    granted(other.acquire(request("a", "r2"), deadline()));
    assertThat(refused(renew(granting, grant, MAX_HOLD)).code()).isEqualTo(RefusalCode.LEASE_LOST);
  }
}
