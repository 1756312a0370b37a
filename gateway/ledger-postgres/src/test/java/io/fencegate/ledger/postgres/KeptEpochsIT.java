/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.adapter.tck.OnContext;
import io.fencegate.coordination.embedded.EmbeddedStore;
import io.fencegate.coordination.epoch.EpochTerms;
import io.fencegate.coordination.epoch.EpochsElsewhere;
import io.fencegate.coordination.epoch.ForeignEpochs;
import io.fencegate.coordination.epoch.Verified;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.operator.Broken;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.model.TokenSource;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A token is accepted once both the coordinator and the ledger have it, and not before. */
class KeptEpochsIT extends LedgerFixture {

  /** A store may serve many tests, each with keys of its own. */
  private final String prefix = "kept-" + UUID.randomUUID();

  private final Keyspace keys = new Keyspace(prefix);
  @TempDir Path folder;
  private CoordinationStore store;
  private final List<KeptParty> parties = new ArrayList<>();

  @BeforeEach
  void openCoordinator() {
    store = openStore();
  }

  /** Another kind of store runs the same tests. */
  CoordinationStore openStore() {
    return await(EmbeddedStore.open(vertx, folder, CLOCKS));
  }

  @AfterEach
  void closeCoordinator() {
    List.copyOf(parties).forEach(this::stop);
    await(store.close());
  }

  private void stop(KeptParty party) {
    party.close();
    parties.remove(party);
  }

  private KeptParty party(EpochTerms terms) {
    KeptParty party = KeptParty.start(vertx, store, prefix, terms);
    parties.add(party);
    return party;
  }

  private KeptParty party() {
    return party(new EpochTerms(Optional.of(ledger), Optional.empty()));
  }

  private Optional<Entry> read(Key key) {
    return await(store.commitAlone(new Member(List.of(), List.of(new Op.Get(key)), List.of())))
        .entry(0);
  }

  private void delete(Key key) {
    await(store.commitAlone(new Member(List.of(), List.of(new Op.Delete(key)), List.of())));
  }

  private Optional<EpochRecord> inCoordinator() {
    return read(keys.epoch(R)).map(entry -> EpochRecord.decode(entry.value()));
  }

  private static Refusal refused(Ruling<?> ruling, RefusalCode code) {
    Refusal refusal =
        ruling.fold(
            value -> {
              throw new AssertionError("granted: " + value);
            },
            no -> no);
    assertThat(refusal.code()).as(refusal.toString()).isEqualTo(code);
    return refusal;
  }

  private static FencingToken above(FencingToken token) {
    return new FencingToken(token.value() + 1);
  }

  // ---- raising

  @Test
  void anAcceptedTokenIsInBothAndAReleaseForgetsNeither() {
    KeptParty party = party();
    Grant grant = party.acquire();
    granted(party.raise(grant));
    granted(party.raise(grant));
    party.release(grant);
    assertThat(inCoordinator()).contains(EpochRecord.accepted(grant.token()));
    assertThat(database.kept(R.value())).containsExactly(grant.token() + " lock");
    refused(party.raise(grant), RefusalCode.LEASE_EXPIRED);
  }

  @Test
  void whileTheLedgerIsAwayNothingIsAcceptedNotEvenJudged() {
    KeptParty party = party();
    Grant grant = party.acquire();
    wire.cut();
    wire.reset();
    assertThat(unavailable(party.raise(grant)).certainty()).isEqualTo(Certainty.REJECTED);
    unavailable(party.judge(grant));
    assertThat(party.coordination().epochKeeping().trouble()).isPresent();
    wire.pass();
    granted(party.judge(grant));
    granted(party.raise(grant));
    assertThat(party.coordination().epochKeeping().trouble()).isEmpty();
  }

  @Test
  void aForgedTokenMovesNeither() {
    KeptParty party = party();
    Grant grant = party.acquire();
    granted(party.raise(grant));
    Grant forged =
        new Grant(
            grant.resource(),
            grant.leaseId(),
            new FencingToken(9_000_000_000_000_000_000L),
            grant.ttl(),
            grant.remainingMillis(),
            grant.holder());
    refused(party.raise(forged), RefusalCode.TOKEN_NOT_ISSUED);
    assertThat(database.kept(R.value())).containsExactly(grant.token() + " lock");
  }

  @Test
  void aHolderWhoseLockWentWhileTheLedgerWasRaisedIsNotConfirmed() {
    KeptParty party = party();
    Grant grant = party.acquire();
    granted(party.raise(grant));
    party.release(grant);
    Grant next = party.acquire();
    wire.blackhole();
    CompletableFuture<Ruling<Verified>> raising = party.startRaise(next);
    org.awaitility.Awaitility.await()
        .until(() -> inCoordinator().equals(Optional.of(EpochRecord.accepted(next.token()))));
    party.release(next);
    wire.pass();
    refused(OnContext.await(raising), RefusalCode.LEASE_EXPIRED);
  }

  /** The coordinator was restored: its own record is gone and it issues lower tokens. */
  @Test
  void aTokenBelowTheLedgersIsNamedAsSuchUntilTheGenerationIsRaised() {
    KeptParty party = party();
    Grant old = party.acquire();
    granted(party.raise(old));
    FencingToken before = new FencingToken(old.token().value() + 1_000);
    granted(raise(EpochRecord.accepted(before)));
    for (Ruling<Verified> ruling : List.of(party.raise(old), party.judge(old))) {
      assertThat(refused(ruling, RefusalCode.TOKEN_BELOW_FLOOR).epoch()).isEqualTo(before);
    }
    assertThat(database.kept(R.value())).containsExactly(before + " lock");
    assertThat(party.coordination().history().trouble()).isPresent();
    granted(party.call(() -> party.coordination().cluster().raiseGeneration()));
    refused(party.raise(old), RefusalCode.STALE_TOKEN);
    granted(party.breakLock(Optional.empty()));
    Grant high = party.acquire();
    assertThat(high.token()).isGreaterThan(before);
    granted(party.raise(high));
    assertThat(database.kept(R.value())).containsExactly(high.token() + " lock");
  }

  @Test
  void aTokenBelowTheLedgersWhoseHolderIsGoneIsPlainlyStale() {
    KeptParty party = party();
    Grant old = party.acquire();
    granted(party.raise(old));
    granted(party.breakLock(Optional.empty()));
    delete(keys.epoch(R));
    refused(party.raise(old), RefusalCode.LEASE_EXPIRED);
    Grant next = party.acquire();
    granted(party.raise(next));
    refused(party.raise(old), RefusalCode.STALE_TOKEN);
    assertThat(party.coordination().history().trouble()).isEmpty();
  }

  @Test
  void aLedgerThatLostRowsIsMadeGoodAndLetsNobodyIn() {
    KeptParty party = party();
    Grant old = party.acquire();
    granted(party.raise(old));
    party.release(old);
    Grant next = party.acquire();
    granted(party.raise(next));
    database.run("DELETE FROM fencegate_ledger.epochs");
    refused(party.raise(old), RefusalCode.STALE_TOKEN);
    assertThat(database.kept(R.value())).isEmpty();
    granted(party.raise(next));
    assertThat(database.kept(R.value())).containsExactly(next.token() + " lock");
  }

  // ---- confirmed, break, reset

  @Test
  void whatTheDownstreamConfirmedIsKeptInBothAndTheHigherCounts() {
    KeptParty party = party();
    Grant grant = party.acquire();
    granted(party.raise(grant));
    granted(
        party.call(
            () -> party.coordination().epochs().confirm(R, grant.token(), null, deadline())));
    delete(keys.confirmed(R));
    assertThat(granted(party.raise(grant)).confirmed()).isEqualTo(grant.token());
    assertThat(granted(party.judge(grant)).confirmed()).isEqualTo(grant.token());
  }

  @Test
  void aBreakShutsTheHolderOutInBothBeforeItAnswers() {
    KeptParty party = party();
    Grant old = party.acquire();
    granted(party.raise(old));
    Broken broken = granted(party.breakLock(Optional.of(old.token())));
    assertThat(broken.epoch()).contains(above(old.token()));
    assertThat(database.kept(R.value())).containsExactly(above(old.token()) + " break");
    refused(party.raise(old), RefusalCode.STALE_TOKEN);
    Grant next = party.acquire();
    granted(party.raise(next));
    assertThat(database.kept(R.value())).containsExactly(next.token() + " lock");
  }

  @Test
  void aBreakThatTheLedgerDidNotHearOfIsInDoubtUntilItsRepeatHasToldIt() {
    KeptParty party = party();
    Grant old = party.acquire();
    granted(party.raise(old));
    wire.cut();
    wire.reset();
    Refusal halfDone = unavailable(party.breakLock(Optional.of(old.token())));
    assertThat(halfDone.certainty()).isEqualTo(Certainty.UNKNOWN);
    assertThat(halfDone.detail()).contains("fencingToken " + old.token());
    assertThat(read(keys.lock(R))).isEmpty();
    wire.pass();
    Broken broken = granted(party.breakLock(Optional.of(old.token())));
    assertThat(broken.token()).contains(old.token());
    assertThat(database.kept(R.value())).containsExactly(above(old.token()) + " break");
  }

  private static final ForeignEpochs.Foreign EXTERNAL =
      new ForeignEpochs.Foreign.External(
          new TokenSource.External(new FencingToken(10), 100, Optional.empty()));

  private Ruling<Verified> external(KeptParty party, long token) {
    return party.call(
        () ->
            party
                .coordination()
                .foreignEpochs()
                .verifyAndRaise(R, new FencingToken(token), EXTERNAL, deadline()));
  }

  private Ruling<Optional<EpochRecord>> reset(KeptParty party) {
    return party.call(() -> party.coordination().epochReset().reset(R, it -> true, deadline()));
  }

  @Test
  void tokensOfTwoSourcesAreKeptApartByTheLedgerAloneToo() {
    KeptParty party = party();
    granted(external(party, 50));
    assertThat(database.kept(R.value())).containsExactly("50 external");
    delete(keys.epoch(R));
    delete(keys.epochSource(R));
    Grant grant = party.acquire();
    refused(party.raise(grant), RefusalCode.HANDOVER);
    refused(party.judge(grant), RefusalCode.HANDOVER);
    assertThat(database.kept(R.value())).containsExactly("50 external");
  }

  @Test
  void aResetForgetsInBothSoThatTheOtherSourceCounts() {
    KeptParty party = party();
    granted(external(party, 50));
    refused(external(party, 49), RefusalCode.STALE_TOKEN);
    assertThat(granted(reset(party))).contains(EpochRecord.external(new FencingToken(50)));
    assertThat(database.kept(R.value())).isEmpty();
    assertThat(granted(reset(party))).isEmpty();
    granted(party.raise(party.acquire()));
  }

  @Test
  void aResetIsRefusedUntoldWhileTheLedgerIsAway() {
    KeptParty party = party();
    granted(external(party, 50));
    wire.cut();
    wire.reset();
    assertThat(unavailable(reset(party)).certainty()).isEqualTo(Certainty.REJECTED);
    wire.pass();
    assertThat(inCoordinator()).contains(EpochRecord.external(new FencingToken(50)));
    granted(external(party, 51));
  }

  /** As where only the coordinator's part of a reset was done. */
  @Test
  void whatAnotherSourceLeftInTheLedgerIsForgottenAndALocksRecordStays() {
    KeptParty party = party();
    granted(external(party, 50));
    delete(keys.epoch(R));
    delete(keys.epochSource(R));
    Grant grant = party.acquire();
    refused(party.raise(grant), RefusalCode.HANDOVER);
    for (int i = 0; i < 2; i++) {
      Ruling<Optional<EpochRecord>> reset =
          party.call(
              () ->
                  party
                      .coordination()
                      .epochReset()
                      .reset(R, record -> !record.isOfLocks(), deadline()));
      if (i == 0) {
        assertThat(granted(reset)).contains(EpochRecord.external(new FencingToken(50)));
      } else {
        refused(reset, RefusalCode.INVALID_REQUEST);
      }
      granted(party.raise(grant));
      assertThat(database.kept(R.value())).containsExactly(grant.token() + " lock");
    }
  }

  // ---- agreeing

  private String note() {
    return read(keys.epochsPlace())
        .map(entry -> new String(entry.value().toBytes(), StandardCharsets.UTF_8))
        .orElse("");
  }

  private void assertElsewhere(EpochTerms terms, String detail) {
    assertThatThrownBy(() -> KeptParty.start(vertx, store, prefix, terms))
        .hasRootCauseInstanceOf(EpochsElsewhere.class)
        .rootCause()
        .hasMessageContaining(detail);
  }

  @Test
  void aGatewayThatKeepsEpochsElsewhereDoesNotStart(LedgerDatabase another) {
    party();
    String kept = note();
    assertThat(kept).startsWith("postgres ");
    assertElsewhere(EpochTerms.COORDINATOR, kept);
    PostgresEpochs other = new PostgresEpochs(vertx, CLOCKS, another.settings());
    try {
      assertElsewhere(new EpochTerms(Optional.of(other), Optional.empty()), kept);
    } finally {
      context.run(other::close);
    }
    assertThat(note()).isEqualTo(kept);
  }

  @Test
  void whereEpochsAreKeptChangesOnlyWhenAskedForAndWhileNobodyIsThere() {
    KeptParty before = party(EpochTerms.COORDINATOR);
    Grant old = before.acquire();
    granted(before.raise(old));
    before.release(old);
    EpochTerms change = new EpochTerms(Optional.of(ledger), Optional.of("coordinator"));
    assertElsewhere(change, "stop them all");
    stop(before);
    assertElsewhere(new EpochTerms(Optional.of(ledger), Optional.empty()), "epochs.replaces");
    assertElsewhere(new EpochTerms(Optional.of(ledger), Optional.of("postgres x")), "replaces");
    KeptParty after = party(change);
    String kept = note();
    refused(after.raise(old), RefusalCode.LEASE_EXPIRED);
    Grant next = after.acquire();
    refused(after.raise(old), RefusalCode.STALE_TOKEN);
    granted(after.raise(next));
    stop(after);
    assertElsewhere(EpochTerms.COORDINATOR, kept);
    KeptParty back = party(new EpochTerms(Optional.empty(), Optional.of(kept)));
    refused(back.raise(old), RefusalCode.STALE_TOKEN);
    granted(back.raise(next));
  }

  @Test
  void aGatewayThatStartsWithoutTheLedgerRaisesNothingUntilItIsThere() {
    wire.cut();
    KeptParty party = party();
    Grant grant = party.acquire();
    unavailable(party.raise(grant));
    assertThat(note()).isEmpty();
    wire.pass();
    granted(party.raise(grant));
    assertThat(note()).startsWith("postgres ");
  }

  @Test
  void aGatewayThatFindsOutLateThatOthersKeepEpochsElsewhereRaisesNothing() {
    wire.cut();
    KeptParty late = party();
    KeptParty other = party(EpochTerms.COORDINATOR);
    wire.pass();
    Grant grant = other.acquire();
    granted(other.raise(grant));
    refused(late.raise(grant), RefusalCode.HANDOVER);
    assertThat(database.column("SELECT to_regclass('fencegate_ledger.epochs')::text"))
        .containsExactly("fencegate_ledger.epochs");
    assertThat(database.kept(R.value())).isEmpty();
  }
}
