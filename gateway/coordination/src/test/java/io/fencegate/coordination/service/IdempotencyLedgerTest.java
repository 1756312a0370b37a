/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.idempotency.Begun;
import io.fencegate.coordination.idempotency.Claim;
import io.fencegate.coordination.idempotency.IdempotencyLedger;
import io.fencegate.coordination.idempotency.Intent;
import io.fencegate.coordination.idempotency.KeyName;
import io.fencegate.coordination.key.IdempotencyRecord;
import io.fencegate.coordination.key.KeyOutcome;
import io.fencegate.coordination.key.RecordedAnswer;
import io.fencegate.coordination.key.RequestFingerprint;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * What an Idempotency-Key in the coordinator promises, across gateways, their ends and lost
 * replies.
 */
class IdempotencyLedgerTest extends CoordinationFixture {

  private static final TtlClass DAY = TtlClass.atLeast(Duration.ofHours(24));
  private static final RequestFingerprint FINGERPRINT = new RequestFingerprint("ab".repeat(32));
  private static final FencingToken TOKEN = new FencingToken(42);
  private static final KeyOutcome UNKNOWN = new KeyOutcome.Unknown("no answer came in time");
  private static final KeyOutcome ANSWERED =
      new KeyOutcome.Answered(
          new RecordedAnswer(
              201,
              List.of(new RecordedAnswer.Header("Location", "/entries/9")),
              Optional.of(Value.of("{\"id\":9}"))));

  private static KeyName name(String key) {
    return new KeyName(resource("ledger/acme"), "anonymous", new IdempotencyKey(key));
  }

  private static Claim claim(KeyName name) {
    return new Claim(name, FINGERPRINT, TOKEN, DAY);
  }

  private Key keyOf(KeyName name) {
    return keys.idempotency(name.resource(), name.caller(), name.key());
  }

  private static <T> T at(Party party, Function<IdempotencyLedger, Future<T>> call) {
    return party.call(() -> call.apply(party.coordination().idempotency()));
  }

  /** Like {@link #at}, without waiting for the answer. */
  private static <T> Future<T> start(Party party, Function<IdempotencyLedger, Future<T>> call) {
    Promise<T> promise = Promise.promise();
    party
        .context()
        .runOnContext(turn -> call.apply(party.coordination().idempotency()).onComplete(promise));
    return promise.future();
  }

  private Begun begin(Party party, KeyName name) {
    return at(party, ledger -> ledger.begin(claim(name), deadline()));
  }

  private Intent begun(Party party, KeyName name) {
    return begin(party, name)
        .fold(
            intent -> intent,
            record -> {
              throw new AssertionError("taken: " + record);
            },
            refusal -> {
              throw new AssertionError("refused: " + refusal);
            });
  }

  private IdempotencyRecord taken(Party party, KeyName name) {
    Begun begun = begin(party, name);
    assertThat(begun).isInstanceOf(Begun.Taken.class);
    return ((Begun.Taken) begun).record();
  }

  private Optional<IdempotencyRecord> found(Party party, KeyName name) {
    return granted(at(party, ledger -> ledger.lookUp(name, deadline())));
  }

  private KeyOutcome outcome(Party party, KeyName name) {
    return found(party, name).orElseThrow().outcome();
  }

  private KeyOutcome closed(Party party, KeyName name) {
    return granted(at(party, ledger -> ledger.close(name, DAY, deadline()))).outcome();
  }

  /** As if it had not lived for longer than its session: others see it gone. */
  private void takeForDead(Party party) {
    String session = party.coordination().session().id();
    commit(new Op.Delete(keys.gateway(session)));
  }

  private static boolean putsKeys(Batch batch) {
    return batch.members().stream()
        .flatMap(member -> member.then().stream())
        .anyMatch(
            op ->
                (op instanceof Op.Put put && put.key().path().contains("/idem/"))
                    || (op instanceof Op.Delete delete && delete.key().path().contains("/idem/")));
  }

  @Test
  void aKeyIsOneRequestsUntilItsAnswerWhichEverybodyFinds() {
    Party one = party();
    Party other = party();
    KeyName name = name("k");
    assertThat(found(other, name)).isEmpty();
    Intent intent = begun(one, name);
    for (Party party : List.of(one, other)) {
      assertThat(found(party, name).orElseThrow().isIntent()).isTrue();
      assertThat(taken(party, name).isIntent()).isTrue();
    }
    await(start(one, ledger -> ledger.settle(intent, ANSWERED)));
    for (Party party : List.of(one, other)) {
      IdempotencyRecord record = found(party, name).orElseThrow();
      assertThat(record.outcome()).isEqualTo(ANSWERED);
      assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
      assertThat(record.token()).isEqualTo(TOKEN);
      assertThat(taken(party, name)).isEqualTo(record);
    }
    assertThat(one.coordination().idempotency().open()).isZero();
  }

  @Test
  void otherKeysCallersAndResourcesAreOtherWrites() {
    Party party = party();
    begun(party, name("k"));
    begun(party, name("K"));
    begun(party, new KeyName(resource("ledger/acme"), "", new IdempotencyKey("k")));
    begun(party, new KeyName(resource("ledger/other"), "anonymous", new IdempotencyKey("k")));
  }

  @Test
  void whereNothingWasSentTheKeyIsFree() {
    Party party = party();
    KeyName name = name("k");
    Intent intent = begun(party, name);
    at(party, ledger -> ledger.abandon(intent));
    assertThat(read(keyOf(name))).isEmpty();
    begun(party(), name);
  }

  @Test
  void theWriteOfAGatewayThatEndedIsUnknownAndNeverFree() {
    Party ended = party();
    Party other = party();
    KeyName looked = name("looked");
    KeyName begun = name("begun");
    KeyName closed = name("closed");
    List.of(looked, begun, closed).forEach(it -> begun(ended, it));
    assertThat(closed(other, closed)).isInstanceOf(KeyOutcome.Intent.class);
    ended.call(() -> ended.coordination().close());
    assertThat(outcome(other, looked)).isInstanceOf(KeyOutcome.Unknown.class);
    assertThat(taken(other, begun).outcome()).isInstanceOf(KeyOutcome.Unknown.class);
    assertThat(closed(other, closed)).isInstanceOf(KeyOutcome.Unknown.class);
    for (KeyName name : List.of(looked, begun, closed)) {
      assertThat(taken(other, name).outcome()).isInstanceOf(KeyOutcome.Unknown.class);
      assertThat(closed(other, name)).isInstanceOf(KeyOutcome.Unknown.class);
    }
  }

  @Test
  void theAnswerOfAGatewayThatWasTakenForDeadEndsTheDoubt() {
    Party paused = party();
    Party other = party();
    KeyName name = name("k");
    Intent intent = begun(paused, name);
    takeForDead(paused);
    assertThat(outcome(other, name)).isInstanceOf(KeyOutcome.Unknown.class);
    at(paused, ledger -> ledger.settle(intent, ANSWERED));
    assertThat(outcome(other, name)).isEqualTo(ANSWERED);
  }

  @Test
  void aKeyThatWasAnsweredUnknownIsNotFreedByAGatewayThatWasTakenForDead() {
    Party paused = party();
    Party other = party();
    KeyName name = name("k");
    Intent intent = begun(paused, name);
    takeForDead(paused);
    assertThat(taken(other, name).outcome()).isInstanceOf(KeyOutcome.Unknown.class);
    at(paused, ledger -> ledger.abandon(intent));
    assertThat(outcome(other, name)).isInstanceOf(KeyOutcome.Unknown.class);
  }

  @Test
  void aClosedKeyIsNobodysAndClosingTellsWhatItCameTo() {
    Party party = party();
    KeyName unused = name("unused");
    assertThat(closed(party, unused)).isInstanceOf(KeyOutcome.Closed.class);
    assertThat(closed(party, unused)).isInstanceOf(KeyOutcome.Closed.class);
    assertThat(taken(party(), unused).outcome()).isInstanceOf(KeyOutcome.Closed.class);
    KeyName used = name("used");
    Intent intent = begun(party, used);
    assertThat(closed(party, used)).isInstanceOf(KeyOutcome.Intent.class);
    at(party, ledger -> ledger.settle(intent, ANSWERED));
    assertThat(closed(party, used)).isEqualTo(ANSWERED);
  }

  @Test
  void lostRepliesChangeNothing() {
    Party party = party();
    KeyName name = name("k");
    store.loseReply(IdempotencyLedgerTest::putsKeys);
    Intent intent = begun(party, name);
    store.loseReply(IdempotencyLedgerTest::putsKeys);
    at(party, ledger -> ledger.settle(intent, UNKNOWN));
    assertThat(outcome(party, name)).isEqualTo(UNKNOWN);
    KeyName free = name("free");
    Intent unsent = begun(party, free);
    store.loseReply(IdempotencyLedgerTest::putsKeys);
    at(party, ledger -> ledger.abandon(unsent));
    assertThat(found(party, free)).isEmpty();
  }

  /** Its put arrives when everybody has given it up. */
  @Test
  void aBeginThatIsGivenUpLeavesNoIntentBehind() {
    Party party = party();
    KeyName name = name("k");
    store.hold(IdempotencyLedgerTest::putsKeys);
    long soon = clocks.read().monotonicNanos() + Duration.ofMillis(300).toNanos();
    Begun begun = at(party, ledger -> ledger.begin(claim(name), soon));
    assertThat(begun).isInstanceOf(Begun.Refused.class);
    assertThat(((Begun.Refused) begun).refusal().code())
        .isEqualTo(RefusalCode.COORDINATOR_UNAVAILABLE);
    store.letGo();
    awaitUntil(() -> read(keyOf(name)).isPresent());
    awaitUntil(() -> read(keyOf(name)).isEmpty());
    awaitUntil(() -> party.coordination().idempotency().open() == 0);
    begun(party, name);
  }

  @Test
  void anOutcomeIsRecordedHoweverLongTheCoordinatorIsAway() {
    Party party = party();
    KeyName name = name("k");
    Intent intent = begun(party, name);
    store.hold(batch -> true);
    Future<Void> settling = start(party, ledger -> ledger.settle(intent, ANSWERED));
    Future<Void> patience = Promise.<Void>promise().future();
    assertThat(awaitFailure(patience.timeout(6, java.util.concurrent.TimeUnit.SECONDS)))
        .isInstanceOf(java.util.concurrent.TimeoutException.class);
    assertThat(settling.isComplete()).isFalse();
    store.letGo();
    await(settling);
    assertThat(outcome(party, name)).isEqualTo(ANSWERED);
  }

  private static Throwable awaitFailure(Future<?> future) {
    return await(
        future
            .<Throwable>map(done -> new AssertionError("no failure"))
            .recover(Future::succeededFuture));
  }

  @Test
  void theStoresClockEndsARecordAfterADay() {
    Party party = party();
    KeyName name = name("k");
    begun(party, name);
    LeaseTtl ttl = await(store.timeToLive(read(keyOf(name)).orElseThrow().lease()));
    assertThat(ttl).isInstanceOf(LeaseTtl.Alive.class);
    assertThat(((LeaseTtl.Alive) ttl).remainingSeconds()).isBetween(86_390L, 86_700L);
  }

  @Test
  void ofManyAtOnceOneGetsTheKey() {
    List<Party> parties = List.of(party(), party());
    KeyName name = name("k");
    List<Future<Begun>> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      all.add(start(parties.get(i % 2), ledger -> ledger.begin(claim(name), deadline())));
    }
    assertThat(all.stream().map(CoordinationFixture::await).filter(Begun.Mine.class::isInstance))
        .hasSize(1);
  }

  @Test
  void keysOfOneResourceTravelTogether() {
    Party party = party();
    store.count(IdempotencyLedgerTest::putsKeys);
    List<Future<Begun>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      KeyName name = name("k" + i);
      all.add(start(party, ledger -> ledger.begin(claim(name), deadline())));
    }
    assertThat(all.stream().map(CoordinationFixture::await)).allMatch(Begun.Mine.class::isInstance);
    assertThat(store.counted()).isLessThan(40);
  }

  /**
   * Random lives of one key: parties that ask for it at once, send or do not, are taken for dead,
   * and a wire that loses replies. Once it was sent, nobody gets it again.
   */
  @Test
  void whatWasSentIsNeverSentAgain() {
    long seed = Long.getLong("fencegate.seed", System.nanoTime());
    Random random = new Random(seed);
    int keysToPlay = Boolean.getBoolean("fencegate.full") ? 400 : 40;
    List<Party> parties = List.of(party(), party(), party());
    for (int i = 0; i < keysToPlay; i++) {
      play(random, parties, name("k" + i + UUID.randomUUID()), "seed " + seed + ", key " + i);
    }
    store.forgetFaults();
  }

  private void play(Random random, List<Party> parties, KeyName name, String what) {
    int sent = 0;
    boolean answered = false;
    for (int step = 0; step < 6; step++) {
      maybeBreak(random);
      List<Future<Begun>> asked = new ArrayList<>();
      parties.forEach(
          party -> asked.add(start(party, ledger -> ledger.begin(claim(name), deadline()))));
      int mine = 0;
      for (int i = 0; i < parties.size(); i++) {
        Begun begun = await(asked.get(i));
        if (begun instanceof Begun.Mine got) {
          mine++;
          Party party = parties.get(i);
          if (random.nextInt(4) == 0) {
            takeForDead(party);
          }
          maybeBreak(random);
          int end = random.nextInt(4);
          if (end == 0) {
            at(party, ledger -> ledger.abandon(got.intent()));
          } else if (end == 1) {
            // It ends without a word.
            sent++;
            takeForDead(party);
          } else {
            sent++;
            answered = random.nextBoolean();
            KeyOutcome outcome = answered ? ANSWERED : UNKNOWN;
            at(party, ledger -> ledger.settle(got.intent(), outcome));
          }
        }
      }
      assertThat(sent).as(what).isLessThanOrEqualTo(1);
      assertThat(mine).as(what).isLessThanOrEqualTo(parties.size());
    }
    if (sent == 1) {
      for (Party party : parties) {
        Optional<IdempotencyRecord> record = found(party, name);
        assertThat(record).as(what).isPresent();
        assertThat(record.get().outcome().equals(ANSWERED)).as(what).isEqualTo(answered);
      }
    }
  }

  private void maybeBreak(Random random) {
    switch (random.nextInt(4)) {
      case 0 -> store.loseReply(IdempotencyLedgerTest::putsKeys);
      case 1 -> store.delay(IdempotencyLedgerTest::putsKeys);
      default -> {
        store.forgetFaults();
        store.deliverDelayed();
      }
    }
  }
}
