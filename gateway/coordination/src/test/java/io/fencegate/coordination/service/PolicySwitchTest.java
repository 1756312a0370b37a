/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.PolicyRecord;
import io.fencegate.coordination.key.UnresolvedRecord;
import io.fencegate.coordination.operator.PolicySwitch;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.agreement.Agreement.Standing;
import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.agreement.Recorded;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.model.Route;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A policy that gateways share changes its form only when nothing goes by the old one. */
class PolicySwitchTest extends CoordinationFixture {

  private static final PolicyName LEDGER = new PolicyName("ledger");
  private static final PolicyTerms OLD = terms("ledger", "ledger/{n}", "old");
  private static final PolicyTerms NEW = terms("ledger", "ledger/{n}", "new");

  private static PolicyTerms terms(String name, String match, String adapter) {
    return new PolicyTerms(
        new PolicyName(name),
        valid(ResourcePattern.parse(match)),
        Optional.empty(),
        Map.of("adapter", adapter));
  }

  private static <T> T valid(Parsed<T> parsed) {
    return parsed.fold(
        it -> it,
        bad -> {
          throw new IllegalArgumentException(bad.message());
        });
  }

  private Party party(PolicyTerms... own) {
    Party party = party();
    has(party, own);
    return party;
  }

  private static void has(Party party, PolicyTerms... own) {
    party.call(
        () -> {
          party.coordination().policies().own(List.of(own));
          return party.coordination().freezes().readAnew();
        });
  }

  private static void drainsBy(Party party, Function<FreezeScope, Future<Void>> ended) {
    party.call(
        () -> {
          party.coordination().drains().follow(ended);
          return Future.succeededFuture();
        });
  }

  private static boolean admits(Party party, PolicyTerms terms) {
    return party.call(
        () ->
            Future.succeededFuture(
                party.coordination().policies().objection(terms).isEmpty()
                    && party
                        .coordination()
                        .freezes()
                        .last()
                        .of(resource("ledger/x"), terms.name())
                        .isEmpty()));
  }

  private static Standing standing(Party party) {
    return party.call(
        () -> Future.succeededFuture(party.coordination().policies().standings().get(LEDGER)));
  }

  private static Ruling<PolicySwitch.Progress> begin(Party party, Optional<PolicyTerms> mine) {
    return party.call(() -> party.coordination().policySwitch().begin(LEDGER, mine, "moved"));
  }

  private static PolicySwitch.Progress progress(Party party) {
    return party.call(
        () ->
            Future.succeededFuture(
                party.coordination().policySwitch().progress(LEDGER).orElseThrow()));
  }

  private void awaitState(Party party, PolicySwitch.State state) {
    awaitUntil(() -> progress(party).state() == state);
  }

  @Test
  void theFirstGatewayRecordsItsPolicyAndOthersGoByIt() {
    Party first = party(OLD);
    assertThat(standing(first)).isEqualTo(Standing.AGREED);
    Party other = party(NEW);
    assertThat(standing(other)).isEqualTo(Standing.DIFFERENT);
    assertThat(admits(other, NEW)).isFalse();
    assertThat(admits(first, OLD)).isTrue();
    Party same = party(OLD);
    assertThat(admits(same, OLD)).isTrue();
  }

  @Test
  void aSwitchTurnsEveryGatewayFromTheOldFormToTheNewAndNeverBothAreLetIn() {
    Party before = party(OLD);
    Party after = party(NEW);
    granted(begin(after, Optional.of(NEW)));
    assertThat(admits(after, NEW)).isFalse();
    awaitUntil(() -> !admits(before, OLD));
    awaitUntil(
        () -> {
          boolean old = admits(before, OLD);
          boolean fresh = admits(after, NEW);
          assertThat(old && fresh).isFalse();
          return progress(after).state() == PolicySwitch.State.SWITCHED;
        });
    assertThat(admits(after, NEW)).isTrue();
    assertThat(admits(before, OLD)).isFalse();
    awaitUntil(() -> standing(before) == Standing.DIFFERENT);
    has(before, NEW);
    assertThat(admits(before, NEW)).isTrue();
    assertThat(granted(before.call(() -> before.coordination().freezeOrders().list())).all())
        .isEmpty();
  }

  @Test
  void aGatewayWithWritesUnderWayIsWaitedFor() {
    Party before = party(OLD);
    Promise<Void> written = Promise.promise();
    drainsBy(before, scope -> written.future());
    Party after = party(NEW);
    PolicySwitch.Progress begun = granted(begin(after, Optional.of(NEW)));
    assertThat(begun.state()).isEqualTo(PolicySwitch.State.DRAINING);
    String old = before.call(() -> Future.succeededFuture("" + begun.freezes().get(0)));
    awaitUntil(() -> progress(after).waitingFor().size() == 1);
    awaitUntil(() -> progress(after).remainingMillis() == 1);
    assertThat(progress(after).state()).isEqualTo(PolicySwitch.State.DRAINING);
    assertThat(after.call(() -> after.coordination().freezeOrders().undrained(old))).hasSize(1);
    written.complete();
    awaitState(after, PolicySwitch.State.SWITCHED);
  }

  @Test
  void aSwitchThatIsBegunAgainAfterItsGatewayEndedGoesOnWithItsFreeze() {
    Party before = party(OLD);
    Party after = party(NEW);
    granted(begin(after, Optional.of(NEW)));
    after.call(() -> after.coordination().close());
    Party again = party(NEW);
    awaitUntil(() -> !admits(before, OLD));
    granted(begin(again, Optional.of(NEW)));
    awaitState(again, PolicySwitch.State.SWITCHED);
    assertThat(granted(again.call(() -> again.coordination().freezeOrders().list())).all())
        .isEmpty();
  }

  @Test
  void liftingTheFreezeEndsTheSwitchAndTheOldFormStays() {
    Party before = party(OLD);
    Party after = party(NEW);
    String freeze = granted(begin(after, Optional.of(NEW))).freezes().get(0);
    Freeze lifted = granted(before.call(() -> before.coordination().freezeOrders().lift(freeze)));
    assertThat(lifted.id()).isEqualTo(freeze);
    awaitState(after, PolicySwitch.State.FAILED);
    assertThat(progress(after).reason()).contains("lifted");
    assertThat(admits(before, OLD)).isTrue();
    assertThat(admits(after, NEW)).isFalse();
  }

  @Test
  void whatNoGatewayHasAnyMoreIsPutOutOfForceAndStaysSo() {
    Party before = party(OLD);
    PolicyTerms other = terms("renamed", "ledger/{n}", "new");
    Party after = party(other);
    assertThat(admits(after, other)).isFalse();
    granted(begin(after, Optional.empty()));
    awaitState(after, PolicySwitch.State.SWITCHED);
    awaitUntil(() -> admits(after, other));
    awaitUntil(() -> standing(before) == Standing.DIFFERENT);
    assertThat(admits(before, OLD)).isFalse();
  }

  @Test
  void aPolicyThatTakesResourcesFromOneInForceComesInForceWhenBothAreDrained() {
    PolicyTerms part = terms("part", "ledger/x", "new");
    Party before = party(OLD);
    Promise<Void> written = Promise.promise();
    drainsBy(before, scope -> written.future());
    Party after = party(OLD, part);
    assertThat(admits(after, part)).isFalse();
    assertThat(admits(after, OLD)).isTrue();
    granted(
        after.call(
            () ->
                after
                    .coordination()
                    .policySwitch()
                    .begin(part.name(), Optional.of(part), "split")));
    awaitUntil(() -> !admits(before, OLD));
    written.complete();
    awaitUntil(() -> admits(after, part) && admits(after, OLD));
    awaitUntil(() -> !admits(before, OLD));
  }

  @Test
  void policiesThatOverlapFromTheStartAreBothInForce() {
    PolicyTerms part = terms("part", "ledger/x", "new");
    Party first = party(OLD, part);
    assertThat(admits(first, OLD) && admits(first, part)).isTrue();
    Party same = party(OLD, part);
    assertThat(admits(same, OLD) && admits(same, part)).isTrue();
  }

  private static PolicyTerms fallback() {
    return new PolicyTerms(
        new PolicyName("fallback"),
        valid(ResourcePattern.parse("{area}/{n}")),
        Optional.empty(),
        Map.of("adapter", "old", PolicyTerms.PRIORITY, "-1"));
  }

  @Test
  void aHundredAndFiftyPoliciesAndOneForAllTheRestAreInForceFromTheStart() {
    List<PolicyTerms> all = new ArrayList<>(List.of(fallback()));
    for (int i = 0; i < 150; i++) {
      all.add(terms("p" + i, "area" + i + "/{n}", "old"));
    }
    Party party = party(all.toArray(PolicyTerms[]::new));
    awaitUntil(() -> all.stream().allMatch(it -> admits(party, it)));
  }

  @Test
  void aPolicyThatTakesNothingFromOthersIsAddedWithoutASwitch() {
    Party party = party(OLD);
    has(party, OLD, fallback());
    assertThat(admits(party, fallback())).isTrue();
    Party without = party(fallback());
    assertThat(admits(without, fallback())).as("it would take what it does not know of").isFalse();
  }

  @Test
  void aWriteInDoubtHoldsUpASwitchToAnotherDownstream() {
    Party before = party(OLD);
    UnresolvedRecord doubt =
        new UnresolvedRecord(
            new FencingToken(41), 0, Duration.ZERO, UnresolvedRecord.Kind.WRITE, "lost", List.of());
    put(keys.unresolved(resource("ledger/x"), "d-1"), doubt.encode());
    Party after = party(NEW);
    granted(begin(after, Optional.of(NEW)));
    awaitUntil(() -> progress(after).waitingFor().contains("a write in doubt to ledger/x"));
    awaitUntil(() -> progress(after).remainingMillis() == 1);
    assertThat(admits(after, NEW)).isFalse();
    assertThat(admits(before, OLD)).isFalse();
    commit(new Op.Delete(keys.unresolved(resource("ledger/x"), "d-1")));
    awaitState(after, PolicySwitch.State.SWITCHED);
  }

  @Test
  void whatTheFormerDownstreamConfirmedIsForgottenWhenAPolicyMoves() {
    party(OLD);
    Value confirmed = EpochRecord.accepted(new FencingToken(41)).encode();
    put(keys.confirmed(resource("ledger/x")), confirmed);
    put(keys.confirmed(resource("other/x")), confirmed);
    Party after = party(NEW);
    granted(begin(after, Optional.of(NEW)));
    awaitState(after, PolicySwitch.State.SWITCHED);
    assertThat(await(store.range(keys.confirmed(), 10)).entries())
        .extracting(Entry::key)
        .containsExactly(keys.confirmed(resource("other/x")));
  }

  @Test
  void whatIsInTheWayIsToBeSwitchedFirst() {
    Party before = party(terms("former", "ledger/{n}", "old"));
    Party after = party(NEW);
    assertThat(refused(begin(after, Optional.of(NEW))).code())
        .isEqualTo(RefusalCode.INVALID_REQUEST);
    assertThat(admits(after, NEW)).isFalse();
    assertThat(admits(before, terms("former", "ledger/{n}", "old"))).isTrue();
  }

  @Test
  void thereIsNothingToDoWhereThePolicyIsInForce() {
    Party party = party(OLD);
    assertThat(granted(begin(party, Optional.of(OLD))).state())
        .isEqualTo(PolicySwitch.State.SWITCHED);
    Party none = party();
    Ruling<PolicySwitch.Progress> unknown =
        none.call(
            () ->
                none.coordination()
                    .policySwitch()
                    .begin(new PolicyName("nobodys"), Optional.empty(), "x"));
    assertThat(refused(unknown).code()).isEqualTo(RefusalCode.NOT_FOUND);
  }

  @Test
  void aRecordOfAnotherVersionStopsWhatItMayMean() {
    Party party = party(OLD);
    put(keys.policy(new PolicyName("odd")), Value.of("2 something newer\n"));
    awaitUntil(() -> !admits(party, OLD));
  }

  @Test
  void recordsAreReadAsTheyWereWritten() {
    PolicyTerms routed =
        new PolicyTerms(
            LEDGER,
            valid(ResourcePattern.parse("ledger/{n}")),
            Optional.of(valid(Route.parse("/ledger/{n}/**"))),
            Map.of("adapter", "http http://127.0.0.1:9000 serialized", "guarantee", "serialized"));
    for (Recorded record :
        List.of(
            new Recorded.InForce(OLD), new Recorded.InForce(routed), new Recorded.Withdrawn())) {
      assertThat(PolicyRecord.decode(LEDGER, PolicyRecord.encode(record))).isEqualTo(record);
    }
    for (String bad : List.of("", "1 in-force", "1 in-force\n", "1 in-force\nmatch\n", "1\n")) {
      assertThat(PolicyRecord.decode(LEDGER, Value.of(bad))).isEqualTo(new Recorded.Unreadable());
    }
  }

  @Test
  void aFreezeOfOneGatewayAloneNeedsNoCoordinator() {
    Party party = party(OLD);
    Party other = party(OLD);
    Freeze freeze =
        granted(
            party.call(
                () ->
                    Future.succeededFuture(
                        party
                            .coordination()
                            .freezeOrders()
                            .freezeHere(new FreezeScope.Everything(), "cut off"))));
    assertThat(freeze.isLocal()).isTrue();
    assertThat(admits(party, OLD)).isFalse();
    has(party, OLD);
    assertThat(admits(party, OLD)).isFalse();
    assertThat(admits(other, OLD)).isTrue();
    granted(party.call(() -> party.coordination().freezeOrders().lift(freeze.id())));
    assertThat(admits(party, OLD)).isTrue();
  }

  @Test
  void whoHasDrainedIsTold() {
    Party slow = party(OLD);
    Promise<Void> written = Promise.promise();
    drainsBy(slow, scope -> written.future());
    Party other = party(OLD);
    Freeze freeze =
        granted(
            other.call(
                () ->
                    other
                        .coordination()
                        .freezeOrders()
                        .freeze(new FreezeScope.OfPolicy(LEDGER), "stop")));
    Duration patience = Duration.ofSeconds(3);
    assertThat(
            other.call(() -> other.coordination().freezeOrders().undrained(freeze.id(), patience)))
        .hasSize(1);
    written.complete();
    awaitUntil(
        () ->
            other.call(() -> other.coordination().freezeOrders().undrained(freeze.id())).isEmpty());
    granted(other.call(() -> other.coordination().freezeOrders().lift(freeze.id())));
    assertThat(await(store.range(keys.drained(freeze.id()), 10)).entries()).isEmpty();
  }
}
