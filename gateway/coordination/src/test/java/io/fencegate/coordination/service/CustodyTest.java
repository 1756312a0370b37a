/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.key.MarkRecord;
import io.fencegate.coordination.key.SlotRecord;
import io.fencegate.coordination.key.UnresolvedRecord;
import io.fencegate.coordination.slot.Custody;
import io.fencegate.coordination.slot.DoubtProbe;
import io.fencegate.coordination.slot.Whereabouts;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.fence.Entry;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.fence.Verification;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.model.UnresolvedPolicy;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What an owner has on its way is known to whoever owns the resource next. */
class CustodyTest extends CoordinationFixture {

  private static final UnresolvedPolicy WAIT =
      new UnresolvedPolicy(Optional.of(Duration.ofMillis(300)));

  private static FencingToken token(long value) {
    return new FencingToken(value);
  }

  private Custody custody(Party party) {
    return party.coordination().custody();
  }

  /** A resource that this party serves. */
  private ResourceName ownedBy(Party party) {
    awaitUntil(() -> party.coordination().slots().owned() > 0);
    for (int i = 0; i < 1_000; i++) {
      ResourceName resource = resource("ledger/t" + i);
      if (isHere(party, resource)) {
        return resource;
      }
    }
    throw new AssertionError("owns nothing");
  }

  private boolean isHere(Party party, ResourceName resource) {
    return party.call(
        () ->
            Future.succeededFuture(
                party.coordination().slots().whereabouts(resource, clocks.read())
                    instanceof Whereabouts.Here));
  }

  private Ruling<FencingToken> take(Party party, ResourceName resource, long token) {
    return take(party, resource, token, UnresolvedPolicy.BLOCK, deadline());
  }

  private Ruling<FencingToken> take(
      Party party, ResourceName resource, long token, UnresolvedPolicy policy, long deadlineNanos) {
    return party.call(() -> custody(party).take(resource, token(token), policy, deadlineNanos));
  }

  private boolean admits(Party party, ResourceName resource, long token) {
    return party.call(
        () -> Future.succeededFuture(custody(party).admits(resource, token(token), clocks.read())));
  }

  /** Enters with a token as if the coordinator had confirmed it. */
  private Entry enter(Party party, ResourceName resource, long token) {
    return party.call(
        () -> {
          ClockReading now = clocks.read();
          party
              .barrier()
              .verified(
                  resource,
                  new Verification(token(token), null, now.monotonicNanos() + TTL.toNanos()),
                  now,
                  now);
          return Future.succeededFuture(
              party.barrier().enter(resource, new WriteHeader(token(token), null), false, now));
        });
  }

  private Permit entered(Party party, ResourceName resource, long token) {
    return enter(party, resource, token)
        .fold(
            permit -> permit,
            () -> {
              throw new AssertionError("not verified");
            },
            refusal -> {
              throw new AssertionError(refusal);
            });
  }

  private Optional<MarkRecord> mark(ResourceName resource) {
    return read(keys.active(resource)).map(it -> MarkRecord.decode(it.value()));
  }

  private List<Custody.Listed> unresolved(Party party) {
    return party.call(() -> custody(party).list());
  }

  /** As when its process is killed: nothing is handed over, and the session runs out. */
  private void kill(Party party) {
    String session = party.coordination().session().id();
    party.call(() -> party.coordination().close());
    commit(new Op.Delete(keys.gateway(session)));
  }

  @Test
  void nothingIsAdmittedBeforeItsMarkStands() {
    Party party = party();
    ResourceName resource = ownedBy(party);
    assertThat(admits(party, resource, 42)).isFalse();
    granted(take(party, resource, 42));
    assertThat(admits(party, resource, 42)).isTrue();
    assertThat(admits(party, resource, 43)).isTrue();
    assertThat(mark(resource).orElseThrow().lowest()).isEqualTo(token(42));
    assertThat(admits(party, resource, 41)).as("the mark would not cover it").isFalse();
    granted(take(party, resource, 41));
    assertThat(mark(resource).orElseThrow().lowest()).isEqualTo(token(41));
    assertThat(admits(party, resource, 41)).isTrue();
  }

  @Test
  void theMarkRisesOnceNothingOlderIsUnderWay() {
    Party party = party();
    ResourceName resource = ownedBy(party);
    granted(take(party, resource, 42));
    Permit older = entered(party, resource, 42);
    entered(party, resource, 43);
    party.run(() -> party.barrier().leave(older));
    awaitUntil(() -> mark(resource).orElseThrow().lowest().equals(token(43)));
    assertThat(admits(party, resource, 43)).isTrue();
    assertThat(admits(party, resource, 42)).isFalse();
  }

  @Test
  void aMarkWhoseAnswerIsLostOrLateCoversWhatIsAdmittedAllTheSame() {
    Party party = party();
    ResourceName resource = ownedBy(party);
    store.delay(batch -> writes(batch, keys.active(resource)));
    granted(take(party, resource, 43));
    granted(take(party, resource, 42));
    store.deliverDelayed().forEach(CoordinationFixture::await);
    assertThat(admits(party, resource, 42)).isTrue();
    assertThat(mark(resource).orElseThrow().lowest().isAbove(token(42))).isFalse();
    store.loseReply(batch -> writes(batch, keys.active(resource)));
    granted(take(party, resource, 41));
    assertThat(mark(resource).orElseThrow().lowest()).isEqualTo(token(41));
  }

  @Test
  void whatAnOwnerHadUnderWayThatEndedKeepsNewerTokensOut() {
    Party first = party();
    ResourceName resource = ownedBy(first);
    granted(take(first, resource, 42));
    kill(first);
    Party second = party();
    awaitUntil(() -> isHere(second, resource));
    granted(take(second, resource, 43));
    assertThat(mark(resource).orElseThrow().session())
        .isEqualTo(second.coordination().session().id());
    assertThat(unresolved(second))
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.record().kind()).isEqualTo(UnresolvedRecord.Kind.OWNER_LOST);
              assertThat(it.record().token()).isEqualTo(token(42));
            });
    assertThat(enter(second, resource, 42)).isInstanceOf(Entry.Entered.class);
    assertThat(refusal(enter(second, resource, 43))).contains(RefusalCode.PREDECESSOR_UNRESOLVED);
    String id = unresolved(second).get(0).id();
    assertThat(second.<Optional<Custody.Listed>>call(() -> custody(second).resolve(id)))
        .isPresent();
    assertThat(enter(second, resource, 43)).isInstanceOf(Entry.Entered.class);
    assertThat(read(keys.unresolved(resource, id))).isEmpty();
  }

  /** A downstream that can be asked about every resource. */
  private static final class Asked implements DoubtProbe {
    final List<String> names = new CopyOnWriteArrayList<>();
    volatile boolean settled;

    @Override
    public boolean canBeAsked(ResourceName resource) {
      return true;
    }

    @Override
    public Future<Boolean> isSettled(ResourceName resource, String name) {
      names.add(name);
      return Future.succeededFuture(settled);
    }
  }

  @Test
  void aDownstreamIsAskedAboutAllWritesOfAnOwnerThatEnded() {
    Asked downstream = new Asked();
    Party first = party();
    custody(first).askBy(downstream);
    ResourceName resource = ownedBy(first);
    granted(take(first, resource, 42));
    String session = first.coordination().session().id();
    kill(first);
    Party second = party();
    custody(second).askBy(downstream);
    awaitUntil(() -> isHere(second, resource));
    granted(take(second, resource, 43));
    awaitUntil(() -> !downstream.names.isEmpty());
    assertThat(downstream.names).containsOnly(session);
    assertThat(refusal(enter(second, resource, 43))).contains(RefusalCode.PREDECESSOR_UNRESOLVED);
    downstream.settled = true;
    awaitUntil(() -> enter(second, resource, 43) instanceof Entry.Entered);
    awaitUntil(() -> unresolved(second).isEmpty());
  }

  @Test
  void nobodyIsAskedAboutWritesThatDidNotCarryTheirNames() {
    Party first = party();
    ResourceName resource = ownedBy(first);
    granted(take(first, resource, 42));
    Permit permit = entered(first, resource, 42);
    first.run(
        () -> custody(first).unresolved(permit, "cut", Optional.empty(), OptionalLong.empty()));
    awaitUntil(() -> read(keys.unresolved(resource, unresolved(first).get(0).id())).isPresent());
    kill(first);
    Asked downstream = new Asked();
    downstream.settled = true;
    Party second = party();
    custody(second).askBy(downstream);
    awaitUntil(() -> isHere(second, resource));
    granted(take(second, resource, 43));
    assertThat(unresolved(second)).hasSize(2).allMatch(it -> it.record().names().isEmpty());
    assertThat(downstream.names).isEmpty();
  }

  @Test
  void doubtsOfOneTokenCarryTheNamesOfAll() {
    Asked downstream = new Asked();
    Party party = party();
    custody(party).askBy(downstream);
    ResourceName resource = ownedBy(party);
    granted(take(party, resource, 42));
    for (String name : List.of("s.1", "s.2")) {
      Permit permit = entered(party, resource, 42);
      party.run(
          () -> custody(party).unresolved(permit, "cut", Optional.of(name), OptionalLong.empty()));
    }
    awaitUntil(() -> downstream.names.containsAll(List.of("s.1", "s.2")));
    downstream.settled = true;
    granted(take(party, resource, 43));
    awaitUntil(() -> enter(party, resource, 43) instanceof Entry.Entered);
  }

  private static Optional<RefusalCode> refusal(Entry entry) {
    return entry.fold(
        permit -> Optional.empty(), Optional::empty, refusal -> Optional.of(refusal.code()));
  }

  @Test
  void whatWasInDoubtIsReadByEveryLaterOwnerAndSettlesWithItsTime() {
    Party first = party();
    ResourceName resource = ownedBy(first);
    granted(take(first, resource, 42));
    Permit permit = entered(first, resource, 42);
    first.run(
        () -> custody(first).unresolved(permit, "cut", Optional.empty(), OptionalLong.empty()));
    awaitUntil(() -> unresolved(first).size() == 1);
    first.call(() -> first.coordination().slots().leave());
    assertThat(mark(resource)).as("a clean hand-over leaves no mark").isEmpty();
    first.call(() -> first.coordination().close());
    Party second = party();
    awaitUntil(() -> isHere(second, resource));
    granted(take(second, resource, 43, WAIT, deadline()));
    assertThat(refusal(enter(second, resource, 43))).contains(RefusalCode.PREDECESSOR_UNRESOLVED);
    awaitUntil(() -> enter(second, resource, 43) instanceof Entry.Entered);
    awaitUntil(() -> unresolved(second).isEmpty());
  }

  @Test
  void whoHandsOverAdmitsNothingMoreAndWaitsForWhatIsUnderWay() {
    Party first = party();
    ResourceName resource = ownedBy(first);
    granted(take(first, resource, 42));
    Permit permit = entered(first, resource, 42);
    first.run(() -> first.coordination().slots().leave().onComplete(unused -> {}));
    awaitUntil(() -> !admits(first, resource, 42));
    assertThat(holds(first, permit)).as("what has entered may still leave").isTrue();
    Party second = party();
    assertThat(isHere(second, resource)).isFalse();
    first.run(() -> first.barrier().leave(permit));
    awaitUntil(() -> isHere(second, resource));
    assertThat(holds(first, permit)).isFalse();
    assertThat(refused(take(first, resource, 42)).code()).isEqualTo(RefusalCode.HANDOVER);
  }

  private boolean holds(Party party, Permit permit) {
    return party.call(() -> Future.succeededFuture(custody(party).holds(permit, clocks.read())));
  }

  @Test
  void aHandOverWhoseAnswerIsLostOrLateNeverLeavesTwoOwners() {
    Party first = party();
    ResourceName resource = ownedBy(first);
    store.loseReply(batch -> batch.members().stream().anyMatch(it -> drains(it.then())));
    first.call(() -> first.coordination().slots().leave());
    Party second = party();
    awaitUntil(() -> isHere(second, resource));
    assertThat(isHere(first, resource)).isFalse();
    granted(take(second, resource, 42));
    assertThat(refused(take(first, resource, 42)).code()).isEqualTo(RefusalCode.HANDOVER);
  }

  private boolean drains(List<Op> ops) {
    return ops.stream()
        .anyMatch(
            op ->
                op instanceof Op.Put put
                    && keys.slots().contains(put.key())
                    && SlotRecord.decode(put.value()).drained());
  }

  @Test
  void whoPlacesResourcesOtherwiseOwnsNothing() {
    put(keys.slotScheme(), Value.of("128 slots of another version"));
    Party party = party();
    party.call(() -> party.coordination().slots().look());
    assertThat(party.coordination().slots().owned()).isZero();
    assertThat(refused(take(party, resource("ledger/acme"), 42)).code())
        .isEqualTo(RefusalCode.HANDOVER);
  }

  @Test
  void aSessionThatEndsOwnsNothingMore() {
    Party party = party();
    ResourceName resource = ownedBy(party);
    granted(take(party, resource, 42));
    Permit permit = entered(party, resource, 42);
    commit(new Op.Delete(keys.gateway(party.coordination().session().id())));
    awaitUntil(() -> !holds(party, permit));
    assertThat(admits(party, resource, 42)).isFalse();
    awaitUntil(() -> isHere(party, resource));
    assertThat(admits(party, resource, 42)).as("marked by a session that ended").isFalse();
    granted(take(party, resource, 43));
    assertThat(refusal(enter(party, resource, 43))).contains(RefusalCode.PREDECESSOR_UNRESOLVED);
  }
}
