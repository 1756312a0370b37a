/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.agreement.PolicyRegister;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.freeze.Drains;
import io.fencegate.coordination.freeze.FreezeBoard;
import io.fencegate.coordination.key.FreezeRecord;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What gateways know of freezes, and how long it counts. */
class FreezeBoardTest extends CoordinationFixture {

  private static final FreezeScope EU = new FreezeScope.OfPrefix(resource("settlement/eu"));

  private static final int PER_BATCH = 100;

  private Optional<Freeze> seen(Party party, String resource) {
    return party.call(
        () ->
            Future.succeededFuture(
                party
                    .coordination()
                    .freezes()
                    .last()
                    .of(resource(resource), new PolicyName("any"))));
  }

  private Ruling<Freeze> freeze(Party party, FreezeScope scope) {
    return party.call(() -> party.coordination().freezeOrders().freeze(scope, "wrong rates"));
  }

  private Ruling<Freeze> lift(Party party, String id) {
    return party.call(() -> party.coordination().freezeOrders().lift(id));
  }

  private boolean isFresh(Party party) {
    return party.call(
        () -> Future.succeededFuture(party.coordination().freezes().isFresh(clocks.read())));
  }

  @Test
  void whatOneGatewayFreezesAndLiftsAllKnowOfAboutASecondLater() {
    Party here = party();
    Party there = party();
    long startNanos = System.nanoTime();
    Freeze freeze = granted(freeze(here, EU));
    assertThat(seen(here, "settlement/eu/1")).contains(freeze);
    awaitUntil(() -> seen(there, "settlement/eu/1").equals(Optional.of(freeze)));
    assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(3));
    assertThat(seen(there, "settlement/us")).isEmpty();
    assertThat(granted(lift(there, freeze.id()))).isEqualTo(freeze);
    assertThat(seen(there, "settlement/eu/1")).isEmpty();
    awaitUntil(() -> seen(here, "settlement/eu/1").isEmpty());
  }

  @Test
  void aFreezeOutlivesTheGatewayThatWasToldOfIt() {
    Party first = party();
    Freeze freeze = granted(freeze(first, new FreezeScope.Everything()));
    first.call(() -> first.coordination().close());
    Party second = party();
    awaitUntil(() -> isFresh(second));
    assertThat(seen(second, "a")).contains(freeze);
  }

  @Test
  void whatIsNotThereCannotBeLifted() {
    assertThat(refused(lift(party(), "none")).code()).isEqualTo(RefusalCode.NOT_FOUND);
  }

  @Test
  void aRecordThatCannotBeReadStopsEverythingUntilItIsLifted() {
    Party party = party();
    put(keys.freeze("odd"), Value.of("2 something newer\n"));
    awaitUntil(() -> seen(party, "a").isPresent());
    assertThat(seen(party, "a").orElseThrow().id()).isEqualTo("odd");
    granted(lift(party, "odd"));
    assertThat(seen(party, "a")).isEmpty();
  }

  @Test
  void recordsAreReadAsTheyWereWritten() {
    for (FreezeScope scope :
        List.of(
            EU,
            new FreezeScope.OfResource(resource("-")),
            new FreezeScope.OfPolicy(new PolicyName("ledger")),
            new FreezeScope.Everything())) {
      FreezeRecord record = new FreezeRecord(scope, "two words, Größe ", 17);
      assertThat(FreezeRecord.decode(record.encode())).isEqualTo(record);
    }
  }

  @Test
  void withMoreFreezesThanAreReadEverythingIsFrozen() {
    Party party = party();
    Value other = new FreezeRecord(EU, "many", 1).encode();
    List<Op> ops = new ArrayList<>();
    for (int i = 0; i <= FreezeBoard.MAX_FREEZES; i++) {
      String id = String.format(Locale.ROOT, "%04d", i);
      ops.add(new Op.Put(keys.freeze(id), other, LeaseHandle.NONE));
      if (ops.size() == PER_BATCH) {
        commit(ops.toArray(Op[]::new));
        ops.clear();
      }
    }
    awaitUntil(() -> !seen(party, "settlement/eu").isEmpty());
    assertThat(seen(party, "other")).isEmpty();
    commit(ops.toArray(Op[]::new));
    awaitUntil(() -> seen(party, "other").isPresent());
    assertThat(refused(freeze(party, EU)).code()).isEqualTo(RefusalCode.INVALID_REQUEST);
    granted(lift(party, "0000"));
    assertThat(seen(party, "other")).isEmpty();
  }

  @Test
  void aFreezeWhoseAnswerIsLostIsInDoubtAndListed() {
    Party party = party();
    store.loseReply(this::putsFreeze);
    Refusal refusal = refused(freeze(party, EU));
    assertThat(refusal.code()).isEqualTo(RefusalCode.COORDINATOR_UNAVAILABLE);
    assertThat(refusal.certainty()).isEqualTo(Certainty.UNKNOWN);
    assertThat(granted(party.call(() -> party.coordination().freezeOrders().list())).all())
        .hasSize(1);
  }

  private boolean putsFreeze(Batch batch) {
    return batch.members().stream()
        .flatMap(member -> member.then().stream())
        .anyMatch(op -> op instanceof Op.Put put && keys.freezes().contains(put.key()));
  }

  // ---- how long it counts

  /** The JVM's clocks, each of which can be pushed forward. */
  private static final class PushedClocks implements Clocks {
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong millis = new AtomicLong();

    void advance(Duration by) {
      nanos.addAndGet(by.toNanos());
      millis.addAndGet(by.toMillis());
    }

    @Override
    public ClockReading read() {
      return new ClockReading(
          System.nanoTime() + nanos.get(), System.currentTimeMillis() + millis.get());
    }
  }

  /** Answers to reads wait until they are let go. */
  private static final class SlowAnswers extends StoreProxy {
    private volatile Future<Void> gate = Future.succeededFuture();

    SlowAnswers(CoordinationStore store) {
      super(store);
    }

    @Override
    public Future<RangePage> range(KeyRange range, int limit) {
      return real().range(range, limit).compose(page -> gate.map(unused -> page));
    }
  }

  private FreezeBoard board(CoordinationStore on, Clocks time) {
    return new FreezeBoard(
        new FreezeBoard.Parts(
            vertx, on, keys, time, new PolicyRegister(on, keys), new Drains(on, keys, () -> "")));
  }

  private void read(FreezeBoard board) {
    Promise<Void> read = Promise.promise();
    vertx.getOrCreateContext().runOnContext(turn -> board.refresh().onComplete(read));
    await(read.future());
  }

  private static <T> T on(Context context, Supplier<T> work) {
    Promise<T> done = Promise.promise();
    context.runOnContext(turn -> done.complete(work.get()));
    return await(done.future());
  }

  private static boolean start(FreezeBoard board) {
    board.start();
    return true;
  }

  private static boolean stop(FreezeBoard board) {
    board.stop();
    return true;
  }

  @Test
  void whatWasNeverReadIsNotFresh() {
    FreezeBoard board = board(store, clocks);
    assertThat(board.isFresh(clocks.read())).isFalse();
    assertThat(board.wasEverRead()).isFalse();
    read(board);
    assertThat(board.isFresh(clocks.read())).isTrue();
  }

  @Test
  void whatWasReadCountsFromBeforeTheQuestionWasSent() {
    PushedClocks time = new PushedClocks();
    SlowAnswers slow = new SlowAnswers(store);
    FreezeBoard board = board(slow, time);
    Promise<Void> answer = Promise.promise();
    slow.gate = answer.future();
    Promise<Void> read = Promise.promise();
    Promise<Void> asked = Promise.promise();
    vertx
        .getOrCreateContext()
        .runOnContext(
            turn -> {
              board.refresh().onComplete(read);
              asked.complete();
            });
    await(asked.future());
    time.advance(GatewaySession.MAX_STALENESS.minusSeconds(2));
    answer.complete();
    await(read.future());
    assertThat(board.isFresh(time.read())).isTrue();
    time.advance(Duration.ofSeconds(2));
    assertThat(board.isFresh(time.read())).isFalse();
    read(board);
    assertThat(board.isFresh(time.read())).isTrue();
  }

  @Test
  void whatWasReadBeforeTheClocksMovedApartIsVoid() {
    PushedClocks time = new PushedClocks();
    FreezeBoard board = board(store, time);
    read(board);
    time.millis.addAndGet(1_000);
    assertThat(board.isFresh(time.read())).isFalse();
    read(board);
    assertThat(board.isFresh(time.read())).isTrue();
  }

  @Test
  void aReadThatIsNotAnsweredIsGivenUpAndTheNextOneIsAsked() {
    SlowAnswers slow = new SlowAnswers(store);
    FreezeBoard board = board(slow, clocks);
    Context context = vertx.getOrCreateContext();
    String never = board.trouble();
    slow.gate = Promise.<Void>promise().future();
    on(context, () -> start(board));
    awaitUntil(() -> !on(context, board::trouble).equals(never));
    assertThat(on(context, board::wasEverRead)).isFalse();
    slow.gate = Future.succeededFuture();
    awaitUntil(() -> on(context, () -> board.isFresh(clocks.read())));
    on(context, () -> stop(board));
  }
}
