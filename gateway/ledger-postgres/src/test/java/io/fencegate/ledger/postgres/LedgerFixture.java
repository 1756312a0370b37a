/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.adapter.tck.OnContext;
import io.fencegate.adapter.tck.SystemClocks;
import io.fencegate.coordination.epoch.EpochStore;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A ledger in a database of its own, reached through a wire that can be broken. */
@ExtendWith(LedgerDatabase.Fresh.class)
abstract class LedgerFixture {

  static final ResourceName R = ResourceName.parse("settlement/eu").orThrow();
  static final Clocks CLOCKS = new SystemClocks();

  LedgerDatabase database;
  Vertx vertx;
  OnContext context;
  FaultProxy wire;
  PostgresEpochs ledger;

  @BeforeEach
  void open(LedgerDatabase fresh) {
    database = fresh;
    vertx = Vertx.vertx();
    context = new OnContext(vertx);
    wire = await(FaultProxy.start(vertx, "127.0.0.1", database.port()));
    ledger = new PostgresEpochs(vertx, CLOCKS, database.settings(wire.port()));
  }

  @AfterEach
  void close() {
    context.run(ledger::close);
    await(wire.close());
    await(vertx.close());
  }

  static <T> T await(io.vertx.core.Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  static FencingToken token(long value) {
    return new FencingToken(value);
  }

  static EpochRecord lock(long value) {
    return EpochRecord.accepted(token(value));
  }

  static long deadline() {
    return CLOCKS.read().monotonicNanos() + Duration.ofSeconds(8).toNanos();
  }

  Ruling<EpochStore.Raise> raise(EpochRecord record) {
    return context.run(() -> ledger.raise(R, record, deadline()));
  }

  Ruling<Optional<EpochStore.Kept>> look() {
    return context.run(() -> ledger.look(R, deadline()));
  }

  static <T> T granted(Ruling<T> ruling) {
    return ruling.fold(
        value -> value,
        refusal -> {
          throw new AssertionError("refused: " + refusal);
        });
  }

  /** The refusal, which has to be the one of this store. */
  static Refusal unavailable(Ruling<?> ruling) {
    return ruling.fold(
        value -> {
          throw new AssertionError("granted: " + value);
        },
        refusal -> {
          if (refusal.code() != RefusalCode.EPOCH_STORE_UNAVAILABLE) {
            throw new AssertionError("refused otherwise: " + refusal);
          }
          return refusal;
        });
  }
}
