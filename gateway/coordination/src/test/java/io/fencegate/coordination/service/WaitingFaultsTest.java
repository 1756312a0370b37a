/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.key.Attempt;
import io.fencegate.coordination.key.WaitRecord;
import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Cancellation;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Waits over a wire that loses replies and delivers requests late. */
class WaitingFaultsTest extends CoordinationFixture {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Grant hold(Party party) {
    return granted(party.acquire(request("a", "holder"), deadline()));
  }

  private Predicate<Batch> puts(Key key) {
    return batch -> has(batch, op -> op instanceof Op.Put put && put.key().equals(key));
  }

  private Predicate<Batch> deletes(Key key) {
    return batch ->
        has(batch, op -> op instanceof Op.Delete delete && delete.key().equals(key))
            && !has(batch, op -> op instanceof Op.Put);
  }

  private static boolean has(Batch batch, Predicate<Op> op) {
    return batch.members().stream().flatMap(member -> member.then().stream()).anyMatch(op);
  }

  private void lateOnesAreFenced() {
    for (Future<BatchResult> late : store.deliverDelayed()) {
      assertThat(await(late)).isInstanceOf(BatchResult.Fenced.class);
    }
  }

  @Test
  void aLostReplyOfAnEnqueueStillGivesOnePlaceAndOneGrant() {
    Party party = party();
    Grant held = hold(party);
    store.loseReply(puts(place("a", "r1")));
    Waiting waiting = queued(party, "a", "r1");
    assertThat(queueLength("a")).isEqualTo(1);
    release(party, held);
    Grant grant = granted(waiting.answer());
    assertThat(granted(party.acquire(request("a", "r1"), deadline())).token())
        .isEqualTo(grant.token());
    assertThat(queueLength("a")).isZero();
  }

  private Waiting waits(Party party, String requestId) {
    return party.acquire(request("a", requestId), patience(PATIENCE), deadline());
  }

  private Attempt attempt(String requestId) {
    return WaitRecord.decode(read(place("a", requestId)).orElseThrow().value()).attempt();
  }

  /** Whether a batch puts a session, as raising its counter does. */
  private boolean settles(Batch batch) {
    return has(
        batch,
        op -> op instanceof Op.Put put && put.key().path().startsWith(keys.gateway("").path()));
  }

  private Cancellation cancel(Party party, String requestId) {
    AcquireRequest request = request("a", requestId);
    return granted(
        party.call(
            () ->
                party
                    .coordination()
                    .locks()
                    .cancel(
                        request.resource(), request.principal(), request.requestId(), deadline())));
  }

  /** Whether it had been put and then cancelled cannot be told, so it does not wait on. */
  @Test
  void anEnqueueThatDidNotArriveLeavesNoEntryAndItsCallIsToldThatItHasNoPlace() {
    Party party = party();
    hold(party);
    store.delay(puts(place("a", "r1")));
    Waiting waiting = waits(party, "r1");
    assertThat(refused(waiting.answer()).code()).isEqualTo(RefusalCode.LEASE_LOST);
    lateOnesAreFenced();
    assertThat(queueLength("a")).isZero();
  }

  @Test
  void aCallThatWasCancelledWhileItsEnqueueWasInDoubtIsNeverGranted() {
    for (boolean sameGateway : List.of(true, false)) {
      String id = sameGateway ? "here" : "there";
      Party party = party();
      Party canceller = sameGateway ? party : party();
      Grant held = granted(party.acquire(request("a", "holder-" + id), deadline()));
      store.loseReply(puts(place("a", id)));
      store.hold(this::settles);
      Waiting waiting = waits(party, id);
      awaitUntil(() -> read(place("a", id)).isPresent());
      assertThat(cancel(canceller, id)).isEqualTo(Cancellation.CANCELLED);
      store.letGo();
      assertThat(refused(waiting.answer()).code()).isEqualTo(RefusalCode.LEASE_LOST);
      release(party, held);
      assertThat(queueLength("a")).isZero();
      assertThat(read(keys.lock(resource("a")))).isEmpty();
    }
  }

  @Test
  void aCallThatWasCancelledBeforeItsFirstTransactionLeftKeepsNoLock() {
    Party party = party();
    store.hold(puts(keys.lock(resource("a"))));
    Waiting waiting = waits(party, "r1");
    assertThat(cancel(party, "r1")).isEqualTo(Cancellation.NOT_WAITING);
    store.letGo();
    assertThat(refused(waiting.answer()).code()).isEqualTo(RefusalCode.LEASE_LOST);
    assertThat(read(keys.lock(resource("a")))).isEmpty();
    assertThat(queueLength("a")).isZero();
  }

  @Test
  void aCallThatWasCancelledWhileItsTakeOverWasInDoubtIsNeverGranted() {
    Party one = party();
    Party two = party();
    Grant held = hold(one);
    Waiting first = queued(one, "a", "r1");
    Attempt before = attempt("r1");
    store.loseReply(puts(place("a", "r1")));
    store.hold(this::settles);
    Waiting again = waits(two, "r1");
    awaitUntil(() -> !attempt("r1").equals(before));
    assertThat(cancel(one, "r1")).isEqualTo(Cancellation.CANCELLED);
    store.letGo();
    assertThat(refused(again.answer()).code()).isEqualTo(RefusalCode.LEASE_LOST);
    assertThat(refused(first.answer()).code()).isIn(RefusalCode.LEASE_LOST, RefusalCode.IN_FLIGHT);
    release(one, held);
    assertThat(queueLength("a")).isZero();
    assertThat(read(keys.lock(resource("a")))).isEmpty();
  }

  @Test
  void aLostReplyOfAGrantIsAnsweredAsTheOneGrantThatItWas() {
    Party party = party();
    Grant held = hold(party);
    Waiting waiting = queued(party, "a", "r1");
    store.loseReply(puts(keys.lock(resource("a"))));
    release(party, held);
    Grant grant = granted(waiting.answer());
    assertThat(grant.remainingMillis()).isPositive();
    assertThat(read(keys.lock(resource("a"))).orElseThrow().createRevision())
        .isEqualTo(grant.token().revision());
  }

  @Test
  void aGrantThatArrivesAfterTheCallWasEndedIsNotCommitted() {
    Party party = party();
    Grant held = hold(party);
    Waiting waiting = queued(party, "a", "r1");
    store.delay(puts(keys.lock(resource("a"))));
    release(party, held);
    waiting.abandon();
    assertThat(waiting.answer()).isInstanceOf(Ruling.Refused.class);
    lateOnesAreFenced();
    assertThat(read(keys.lock(resource("a")))).isEmpty();
    assertThat(queueLength("a")).isZero();
  }

  @Test
  void aLockGrantedToACallerWhoIsGoneIsFreedAndARepeatIsToldSo() {
    Party party = party();
    Grant held = hold(party);
    Waiting waiting = queued(party, "a", "r1");
    store.loseReply(puts(keys.lock(resource("a"))));
    release(party, held);
    waiting.abandon();
    assertThat(waiting.answer()).isInstanceOf(Ruling.Refused.class);
    assertThat(read(keys.lock(resource("a")))).isEmpty();
    Grant again = granted(party().acquire(request("a", "r1"), deadline()));
    assertThat(again.remainingMillis()).isZero();
    assertThat(again.token().isAbove(held.token())).isTrue();
  }

  @Test
  void aLostReplyOfACancelLeavesNoEntry() {
    Party party = party();
    hold(party);
    Waiting waiting = queued(party, "a", "r1");
    store.loseReply(deletes(place("a", "r1")));
    Ruling<Cancellation> cancelled =
        party.call(
            () ->
                party
                    .coordination()
                    .locks()
                    .cancel(
                        waiting.request().resource(),
                        waiting.request().principal(),
                        waiting.request().requestId(),
                        deadline()));
    store.forgetFaults();
    assertThat(granted(cancelled)).isEqualTo(Cancellation.CANCELLED);
    assertThat(refused(waiting.answer()).code()).isEqualTo(RefusalCode.LEASE_LOST);
    assertThat(queueLength("a")).isZero();
  }

  @Test
  void aLostReplyOfATimedOutCallsLeavingStillEndsInATimeoutWithoutEntry() {
    Party party = party();
    hold(party);
    store.loseReply(deletes(place("a", "r1")));
    Waiting waiting =
        party.acquire(request("a", "r1"), patience(Duration.ofMillis(500)), deadline());
    assertThat(refused(waiting.answer()).code()).isEqualTo(RefusalCode.WAIT_TIMEOUT);
    assertThat(queueLength("a")).isZero();
  }

  @Test
  void aLostReplyOfATakeOverKeepsThePlaceAndEndsTheEarlierCall() {
    Party one = party();
    Party two = party();
    Grant held = hold(one);
    Waiting first = queued(one, "a", "r1");
    Waiting behind = queued(one, "a", "r2");
    store.loseReply(puts(place("a", "r1")));
    Waiting again = two.acquire(request("a", "r1"), patience(PATIENCE), deadline());
    assertThat(refused(first.answer()).code()).isEqualTo(RefusalCode.IN_FLIGHT);
    release(one, held);
    granted(again.answer());
    assertThat(behind.isAnswered()).isFalse();
  }

  @Test
  void aKeepThatArrivesAfterItsDoubtWasSettledChangesNothing() {
    Party party = party();
    Grant held = hold(party);
    Waiting waiting = queued(party, "a", "r1");
    store.delay(
        batch -> has(batch, op -> op instanceof Op.Touch t && t.key().equals(place("a", "r1"))));
    awaitUntil(store::allFaultsHappened);
    long before = read(place("a", "r1")).orElseThrow().createRevision();
    awaitUntil(() -> read(place("a", "r1")).orElseThrow().modRevision() > before);
    lateOnesAreFenced();
    release(party, held);
    granted(waiting.answer());
  }

  @Test
  void watchesThatAreCutLoseNoWaiter() {
    Party party = party();
    Grant held = hold(party());
    Waiting waiting = queued(party, "a", "r1");
    store.delayWatches(() -> 60_000L);
    commit(new Op.Delete(keys.lock(resource("a"))));
    store.loseWatches();
    assertThat(granted(waiting.answer()).token().isAbove(held.token())).isTrue();
  }

  @Test
  void withoutAnyWatchTheNextLookFindsTheLockFree() {
    Party party = party();
    Grant held = hold(party());
    Waiting waiting = queued(party, "a", "r1");
    store.delayWatches(() -> 60_000L);
    commit(new Op.Delete(keys.lock(resource("a"))));
    assertThat(granted(waiting.answer()).token().isAbove(held.token())).isTrue();
  }
}
