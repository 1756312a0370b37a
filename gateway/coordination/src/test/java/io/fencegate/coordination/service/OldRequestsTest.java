/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.LockView;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.lock.Renewal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.LeaseId;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is in doubt, comes late or names another lease never touches the present holder. */
class OldRequestsTest extends CoordinationFixture {

  private static final Duration MAX_HOLD = Duration.ofHours(12);

  private LockView show(Party party, String resource) {
    return granted(
        party.call(() -> party.coordination().locks().show(resource(resource), deadline())));
  }

  private Release release(Party party, String resource, LeaseId leaseId) {
    return granted(
        party.call(
            () -> party.coordination().locks().release(resource(resource), leaseId, deadline())));
  }

  private Future<Ruling<Renewal>> renewing(Party party, Grant grant) {
    Promise<Ruling<Renewal>> promise = Promise.promise();
    party
        .context()
        .runOnContext(
            unused ->
                party
                    .coordination()
                    .locks()
                    .renew(
                        grant.resource(), grant.leaseId(), Optional.empty(), MAX_HOLD, deadline())
                    .onComplete(promise));
    return promise.future();
  }

  private Ruling<Renewal> renew(Party party, Grant grant) {
    return await(renewing(party, grant));
  }

  private Grant hold(Party party, String resource, String requestId) {
    return granted(party.acquire(request(resource, requestId), deadline()));
  }

  private void assertHeldBy(Party party, Grant grant) {
    assertThat(((LockView.Held) show(party, grant.resource().value())).token())
        .isEqualTo(grant.token());
    assertThat(granted(renew(party, grant)).token()).isEqualTo(grant.token());
  }

  @Test
  void aLostReplyOfALeaseGrantStillGivesOneGrant() {
    Party one = party();
    store.loseGrantReply();
    Ruling<Grant> first = one.acquire(request("a", "r1"), deadline());
    Grant again = hold(party(), "a", "r1");
    assertThat(again.remainingMillis()).isPositive();
    first.fold(
        grant -> assertThat(grant.token()).isEqualTo(again.token()),
        refusal -> assertThat(refusal.code()).isEqualTo(RefusalCode.COORDINATOR_UNAVAILABLE));
    assertHeldBy(one, again);
  }

  @Test
  void aRepeatElsewhereWhileTheFirstCallIsInDoubtGetsTheSameGrant() {
    Party one = party();
    Party two = party();
    AcquireRequest request = request("a", "r1");
    store.loseReply(batch -> putsLock(batch, "a"));
    Waiting first = one.acquire(request, patience(Duration.ofSeconds(10)), deadline());
    awaitUntil(() -> read(keys.lock(resource("a"))).isPresent());
    Waiting again = two.acquire(request, patience(Duration.ofSeconds(10)), deadline());
    assertThat(granted(first.answer()).token()).isEqualTo(granted(again.answer()).token());
    assertThat(queueLength("a")).isZero();
  }

  @Test
  void aHolderWhoCameBackIsNotFreedByItsOwnOldRelease() {
    Party party = party();
    Grant first = hold(party, "a", "r1");
    store.loseReply(batch -> writes(batch, keys.lock(resource("a"))));
    release(party, first);
    Grant again = hold(party, "a", "r3");
    assertThat(again.token().isAbove(first.token())).isTrue();
    for (Party any : new Party[] {party, party()}) {
      assertThat(release(any, "a", first.leaseId())).isEqualTo(Release.NOT_HELD);
      assertHeldBy(any, again);
    }
  }

  @Test
  void aReleaseWithAnUnknownOrAnotherLocksLeaseFreesNothing() {
    Party party = party();
    Grant a = hold(party, "a", "r1");
    Grant b = hold(party, "b", "r2");
    LeaseId unknown = LeaseId.of(new byte[LeaseId.BYTES]);
    assertThat(release(party, "a", unknown)).isEqualTo(Release.NOT_HELD);
    assertThat(release(party, "free", unknown)).isEqualTo(Release.ALREADY_RELEASED);
    assertThat(release(party, "a", b.leaseId())).isEqualTo(Release.NOT_HELD);
    assertThat(release(party, "b", a.leaseId())).isEqualTo(Release.NOT_HELD);
    assertHeldBy(party, a);
    assertHeldBy(party, b);
  }

  @Test
  void aReleaseOfALockThatIsWaitedForEndsNoWaitAndACancelledOneIsStoodInForByTheNext() {
    Party one = party();
    Party two = party();
    Grant held = hold(one, "a", "holder");
    Waiting first = queued(one, "a", "r1");
    Waiting second = queued(two, "a", "r2");
    assertThat(release(two, "a", LeaseId.of(new byte[LeaseId.BYTES]))).isEqualTo(Release.NOT_HELD);
    assertThat(queueLength("a")).isEqualTo(2);
    first.abandon();
    awaitUntil(() -> queueLength("a") == 1);
    assertThat(second.isAnswered()).isFalse();
    release(one, held);
    assertHeldBy(two, granted(second.answer()));
  }

  @Test
  void aReleaseThatOvertakesARenewalLeavesNothingThatTheRenewalBringsBack() {
    Party party = party();
    Grant grant = hold(party, "a", "r1");
    store.delay(batch -> writes(batch, keys.lock(resource("a"))));
    Future<Ruling<Renewal>> renewal = renewing(party, grant);
    awaitUntil(store::allFaultsHappened);
    Release release = release(party, grant);
    store.deliverDelayed().forEach(CoordinationFixture::await);
    assertThat(release).isEqualTo(Release.RELEASED);
    await(renewal);
    assertThat(show(party, "a")).isInstanceOf(LockView.Free.class);
    assertThat(refused(renew(party, grant)).code()).isEqualTo(RefusalCode.LEASE_LOST);
    Grant next = hold(party, "a", "r2");
    assertThat(next.token().isAbove(grant.token())).isTrue();
  }

  @Test
  void aRenewalThatIsSentWhileTheReleaseIsInDoubtRevivesNothing() {
    Party party = party();
    Party other = party();
    Grant grant = hold(party, "a", "r1");
    store.loseReply(batch -> writes(batch, keys.lock(resource("a"))));
    Promise<Ruling<Release>> released = Promise.promise();
    party
        .context()
        .runOnContext(
            unused ->
                party
                    .coordination()
                    .locks()
                    .release(grant.resource(), grant.leaseId(), deadline())
                    .onComplete(released));
    Future<Ruling<Renewal>> here = renewing(party, grant);
    assertThat(granted(await(released.future()))).isEqualTo(Release.RELEASED);
    assertThat(refused(renew(other, grant)).code()).isEqualTo(RefusalCode.LEASE_LOST);
    await(here);
    assertThat(show(other, "a")).isInstanceOf(LockView.Free.class);
  }
}
