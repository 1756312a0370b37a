/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.key.ParameterHash;
import io.fencegate.coordination.key.WaitRecord;
import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Cancellation;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.LockChanges;
import io.fencegate.coordination.lock.LockView;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.lock.WaitTerms;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class WaitingTest extends CoordinationFixture {

  @Test
  void aListenerThatFailsKeepsNoOtherFromBeingToldThatALockWasFreed() {
    Party holder = party();
    Party other = party();
    Grant held = granted(holder.acquire(request("a", "holder"), deadline()));
    AtomicInteger told = new AtomicInteger();
    other.run(
        () -> {
          other.coordination().changes().listen(new Freed(AtomicInteger::incrementAndGet, told));
          other
              .coordination()
              .changes()
              .listen(
                  new Freed(
                      unused -> {
                        throw new IllegalStateException("no use");
                      },
                      told));
          other.coordination().changes().listen(new Freed(AtomicInteger::incrementAndGet, told));
        });
    Waiting waiting = queued(other, "a", "r1");
    release(holder, held);
    granted(waiting.answer());
    awaitUntil(() -> told.get() == 2);
  }

  private record Freed(Consumer<AtomicInteger> then, AtomicInteger told)
      implements LockChanges.Listener {
    @Override
    public void lockChanged(ResourceName resource, long revision) {
      then.accept(told);
    }

    @Override
    public void missedChanges() {}
  }

  private Cancellation cancel(Party party, String resource, String requestId) {
    AcquireRequest request = request(resource, requestId);
    return granted(
        party.call(
            () ->
                party
                    .coordination()
                    .locks()
                    .cancel(
                        request.resource(), request.principal(), request.requestId(), deadline())));
  }

  private LockView show(Party party, String resource) {
    return granted(
        party.call(() -> party.coordination().locks().show(resource(resource), deadline())));
  }

  private Grant hold(Party party, String resource) {
    return granted(party.acquire(request(resource, "holder"), deadline()));
  }

  private Waiting brief(Party party, String requestId, Duration wait) {
    return party.acquire(request("a", requestId), patience(wait), deadline());
  }

  @Test
  void whoWaitsGetsTheLockInTheOrderOfArrivalWhicheverGatewayTheyCameThrough() {
    List<Party> parties = List.of(party(), party());
    Grant last = hold(parties.get(0), "a");
    Party holder = parties.get(0);
    List<Waiting> waiting = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      waiting.add(queued(parties.get(i / 2 % 2), "a", "r" + i));
    }
    for (Waiting next : waiting) {
      assertThat(waiting.stream().filter(w -> !w.isAnswered()).findFirst()).contains(next);
      assertThat(release(holder, last)).isEqualTo(Release.RELEASED);
      Grant grant = granted(next.answer());
      assertThat(grant.token().isAbove(last.token())).isTrue();
      assertThat(grant.remainingMillis()).isPositive();
      last = grant;
      holder = next.party();
    }
    assertThat(queueLength("a")).isZero();
  }

  @Test
  void aReleaseCostsOneAttemptPerGatewayHoweverManyWait() {
    List<Party> parties = List.of(party(), party());
    Grant last = hold(parties.get(0), "a");
    Party holder = parties.get(0);
    List<Waiting> waiting = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      waiting.add(queued(parties.get(i % 2), "a", "r" + i));
    }
    store.count(this::triesToTakeTheLock);
    for (Waiting next : waiting) {
      release(holder, last);
      last = granted(next.answer());
      holder = next.party();
    }
    // Each gateway's first tries at a release, and once more where it saw the other's first leave.
    assertThat(store.counted()).isBetween(60, 60 * 3);
  }

  private boolean triesToTakeTheLock(Batch batch) {
    return batch.members().stream()
        .flatMap(member -> member.then().stream())
        .anyMatch(op -> op instanceof Op.Put put && put.key().equals(keys.lock(resource("a"))));
  }

  @Test
  void withOneGatewayAReleaseCostsExactlyOneAttempt() {
    Party party = party();
    Grant last = hold(party, "a");
    List<Waiting> waiting = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      waiting.add(queued(party, "a", "r" + i));
    }
    store.count(this::triesToTakeTheLock);
    for (Waiting next : waiting) {
      release(party, last);
      last = granted(next.answer());
    }
    assertThat(store.counted()).isEqualTo(30);
  }

  @Test
  void newcomersDoNotOvertakeWhoWaits() {
    Party party = party();
    commit(new Op.Put(place("a", "first"), entry("first"), lease()));
    assertThat(refused(party.acquire(request("a", "newcomer"), deadline())).code())
        .isEqualTo(RefusalCode.LOCK_HELD);
    Waiting behind = queued(party, "a", "second");
    assertThat(behind.isAnswered()).isFalse();
    commit(new Op.Delete(place("a", "first")));
    assertThat(granted(behind.answer()).remainingMillis()).isPositive();
  }

  private static Value entry(String requestId) {
    return new WaitRecord(new Attempt(5), 7, hash(requestId), HolderId.UNNAMED).encode();
  }

  private static ParameterHash hash(String text) {
    return ParameterHash.over(text);
  }

  @Test
  void aRepeatOnAnotherGatewayTakesThePlaceOverAndTheEarlierCallIsToldSo() {
    Party one = party();
    Party two = party();
    Grant held = hold(one, "a");
    Waiting first = queued(one, "a", "r1");
    Waiting behind = queued(one, "a", "r2");
    Waiting again = two.acquire(request("a", "r1"), patience(Duration.ofSeconds(30)), deadline());
    assertThat(refused(first.answer()).code()).isEqualTo(RefusalCode.IN_FLIGHT);
    assertThat(queueLength("a")).isEqualTo(2);
    release(one, held);
    Grant grant = granted(again.answer());
    assertThat(behind.isAnswered()).isFalse();
    release(two, grant);
    granted(behind.answer());
  }

  @Test
  void aRepeatOnTheSameGatewayTakesThePlaceOverAtOnce() {
    Party party = party();
    Grant held = hold(party, "a");
    Waiting first = queued(party, "a", "r1");
    Waiting again = party.acquire(request("a", "r1"), patience(Duration.ofSeconds(30)), deadline());
    assertThat(refused(first.answer()).code()).isEqualTo(RefusalCode.IN_FLIGHT);
    release(party, held);
    assertThat(granted(again.answer()).remainingMillis()).isPositive();
    assertThat(queueLength("a")).isZero();
  }

  @Test
  void ofManyCallsOfOneRequestOneGetsTheLockAndNoneTwoPlaces() {
    List<Party> parties = List.of(party(), party());
    Grant held = hold(parties.get(0), "a");
    List<Waiting> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(
          parties
              .get(i % 2)
              .acquire(request("a", "r1"), patience(Duration.ofSeconds(30)), deadline()));
    }
    awaitUntil(() -> calls.stream().filter(call -> !call.isAnswered()).count() == 1);
    assertThat(queueLength("a")).isEqualTo(1);
    release(parties.get(0), held);
    long granted = calls.stream().filter(c -> c.answer() instanceof Ruling.Granted<Grant>).count();
    assertThat(granted).isEqualTo(1);
  }

  @Test
  void aRepeatWithOtherParametersDoesNotTakeThePlace() {
    Party party = party();
    hold(party, "a");
    Waiting first = queued(party, "a", "r1");
    AcquireRequest base = request("a", "r1");
    AcquireRequest other =
        new AcquireRequest(
            base.resource(),
            base.principal(),
            base.requestId(),
            new HolderId("somebody else"),
            base.ttl(),
            base.metadataJson(),
            base.dedupRetention());
    Waiting again = party.acquire(other, patience(Duration.ofSeconds(30)), deadline());
    assertThat(refused(again.answer()).code()).isEqualTo(RefusalCode.REQUEST_ID_REUSED);
    assertThat(first.isAnswered()).isFalse();
  }

  @Test
  void aRepeatThatDoesNotWaitEndsTheWait() {
    Party party = party();
    hold(party, "a");
    Waiting first = queued(party, "a", "r1");
    assertThat(refused(party.acquire(request("a", "r1"), deadline())).code())
        .isEqualTo(RefusalCode.LOCK_HELD);
    assertThat(refused(first.answer()).code()).isEqualTo(RefusalCode.IN_FLIGHT);
    assertThat(queueLength("a")).isZero();
  }

  @Test
  void aWaitThatEndsLeavesNoEntryAndIsForgotten() {
    Party party = party();
    Grant held = hold(party, "a");
    Waiting brief = brief(party, "r1", Duration.ofMillis(300));
    assertThat(refused(brief.answer()).code()).isEqualTo(RefusalCode.WAIT_TIMEOUT);
    assertThat(queueLength("a")).isZero();
    Waiting again = queued(party, "a", "r1");
    release(party, held);
    assertThat(granted(again.answer()).remainingMillis()).isPositive();
  }

  @Test
  void aCallerWhoIsGoneLeavesTheQueueToTheNext() {
    Party party = party();
    Grant held = hold(party, "a");
    Waiting gone = queued(party, "a", "r1");
    Waiting next = queued(party(), "a", "r2");
    gone.abandon();
    awaitUntil(() -> read(place("a", "r1")).isEmpty());
    release(party, held);
    granted(next.answer());
    assertThat(gone.answer()).isInstanceOf(Ruling.Refused.class);
  }

  @Test
  void aCancelEndsTheWaitOnWhicheverGatewayItIs() {
    Party one = party();
    Party two = party();
    Grant held = hold(one, "a");
    Waiting waiting = queued(one, "a", "r1");
    assertThat(cancel(two, "a", "r1")).isEqualTo(Cancellation.CANCELLED);
    assertThat(refused(waiting.answer()).code()).isEqualTo(RefusalCode.LEASE_LOST);
    assertThat(cancel(two, "a", "r1")).isEqualTo(Cancellation.NOT_WAITING);
    assertThat(cancel(two, "a", "never-came")).isEqualTo(Cancellation.NOT_WAITING);
    assertThat(cancel(two, "a", "holder")).isEqualTo(Cancellation.GRANTED);
    assertThat(((LockView.Held) show(two, "a")).token()).isEqualTo(held.token());
  }

  @Test
  void whoseEntryIsGoneIsNeverGrantedAndTheNextIs() {
    Party one = party();
    Party two = party();
    Grant held = hold(one, "a");
    Waiting vanished = queued(one, "a", "r1");
    Waiting next = queued(two, "a", "r2");
    commit(new Op.Delete(place("a", "r1")), new Op.Delete(keys.lock(resource("a"))));
    assertThat(refused(vanished.answer()).code()).isEqualTo(RefusalCode.LEASE_LOST);
    assertThat(granted(next.answer()).token().isAbove(held.token())).isTrue();
  }

  @Test
  void theEntryOfADeadGatewayHoldsUpTheQueueOnlyUntilItsOwnLeaseEnds() {
    Party party = party();
    Grant held = hold(party, "a");
    commit(new Op.Put(place("a", "ghost"), entry("ghost"), await(store.grant(2))));
    Waiting behind = queued(party, "a", "r1");
    release(party, held);
    assertThat(granted(behind.answer()).remainingMillis()).isPositive();
    assertThat(read(place("a", "ghost"))).isEmpty();
  }

  @Test
  void aWaitOutlivesTheLeaseOfItsEntry() {
    Party party = party();
    Grant held = hold(party, "a");
    Waiting waiting = queued(party, "a", "r1");
    var first = read(place("a", "r1")).orElseThrow();
    awaitUntil(() -> await(store.timeToLive(first.lease())) instanceof LeaseTtl.Gone);
    assertThat(waiting.isAnswered()).isFalse();
    assertThat(read(place("a", "r1")).orElseThrow().createRevision())
        .isEqualTo(first.createRevision());
    release(party, held);
    granted(waiting.answer());
  }

  @Test
  void locksWhoseNamesBeginAlikeHaveQueuesOfTheirOwn() {
    Party party = party();
    List<String> names =
        List.of(
            "acct", "acct/1", "acct/10", "acct/1/x", "acct1", "ACCT", "acct-", "acct.", "acct~");
    List<Grant> grants = names.stream().map(name -> hold(party, name)).toList();
    List<Waiting> waiting = names.stream().map(name -> queued(party, name, "r")).toList();
    for (int i = 0; i < names.size(); i++) {
      release(party, grants.get(i));
      assertThat(granted(waiting.get(i).answer()).resource()).isEqualTo(resource(names.get(i)));
      assertThat(waiting.stream().skip(i + 1)).noneMatch(Waiting::isAnswered);
    }
  }

  @Test
  void aGatewayThatStopsEndsItsWaitsAtOnceAndLetsNobodyWait() {
    Party stopping = party();
    Party other = party();
    Grant held = hold(other, "a");
    List<Waiting> waiting = List.of(queued(stopping, "a", "r1"), queued(stopping, "a", "r2"));
    Waiting elsewhere = queued(other, "a", "r3");
    stopping.run(stopping.coordination().locks()::endWaits);
    waiting.forEach(
        call -> assertThat(refused(call.answer()).code()).isEqualTo(RefusalCode.DRAINING));
    assertThat(queueLength("a")).isEqualTo(1);
    Waiting late =
        stopping.acquire(request("a", "r4"), patience(Duration.ofSeconds(30)), deadline());
    assertThat(refused(late.answer()).code()).isEqualTo(RefusalCode.DRAINING);
    release(other, held);
    granted(elsewhere.answer());
  }

  @Test
  void noMoreCallsWaitThanAllowedHoweverManyComeAtOnce() {
    Party party = party();
    hold(party, "a");
    List<Waiting> calls = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      calls.add(
          party.acquire(
              request("a", "r" + i), new WaitTerms(Duration.ofSeconds(2), 10, 10), deadline()));
    }
    awaitUntil(() -> calls.stream().filter(Waiting::isAnswered).count() == 20);
    awaitUntil(() -> queueLength("a") == 10);
    Waiting elsewhere =
        party()
            .acquire(request("a", "x"), new WaitTerms(Duration.ofSeconds(2), 10, 10), deadline());
    var refusal = refused(elsewhere.answer());
    assertThat(refusal.code()).isEqualTo(RefusalCode.TOO_MANY_WAITERS);
    assertThat(refusal.retryAfterMillis()).isPositive();
  }

  @Test
  void onePrincipalCannotFillTheQueue() {
    List<Party> parties = List.of(party(), party());
    hold(parties.get(0), "a");
    WaitTerms terms = new WaitTerms(Duration.ofSeconds(2), 10, 2);
    for (int i = 0; i < 2; i++) {
      String requestId = "r" + i;
      parties.get(i).acquire(of("key:greedy", requestId), terms, deadline());
      awaitUntil(() -> queueLength("a") == Integer.parseInt(requestId.substring(1)) + 1);
    }
    assertThat(
            refused(parties.get(0).acquire(of("key:greedy", "r2"), terms, deadline()).answer())
                .code())
        .isEqualTo(RefusalCode.TOO_MANY_WAITERS);
    parties.get(0).acquire(of("key:other", "r2"), terms, deadline());
    awaitUntil(() -> queueLength("a") == 3);
  }

  private static AcquireRequest of(String principal, String requestId) {
    AcquireRequest base = request("a", requestId);
    return new AcquireRequest(
        base.resource(),
        new Principal(principal),
        RequestId.parse(requestId).orThrow(),
        base.holder(),
        base.ttl(),
        base.metadataJson(),
        base.dedupRetention());
  }

  @Test
  void howManyWaitIsShown() {
    Party party = party();
    Grant held = hold(party, "a");
    queued(party(), "a", "r1");
    queued(party, "a", "r2");
    assertThat(show(party, "a").waiters()).isEqualTo(2);
    assertThat(show(party, "a/b")).isEqualTo(new LockView.Free(0));
    assertThat(held.remainingMillis()).isPositive();
  }

  @Test
  void whoWaitsForALeaseToRunOutGetsTheLockThen() {
    Party party = party();
    AcquireRequest base = request("a", "brief");
    AcquireRequest brief =
        new AcquireRequest(
            base.resource(),
            base.principal(),
            base.requestId(),
            base.holder(),
            Duration.ofSeconds(2),
            "{}",
            base.dedupRetention());
    Grant first = granted(party.acquire(brief, deadline()));
    Grant second = granted(queued(party, "a", "r1").answer());
    assertThat(second.token().isAbove(first.token())).isTrue();
  }
}
