/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import io.fencegate.adapter.tck.OnContext;
import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.epoch.EpochKeeping;
import io.fencegate.coordination.epoch.EpochTerms;
import io.fencegate.coordination.epoch.Verified;
import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.operator.Broken;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/** One gateway's coordination, whose epochs are also kept in a ledger. */
final class KeptParty {

  private static final SecureRandom RANDOM = new SecureRandom();

  private final OnContext context;
  private final Coordination coordination;
  private int requests;

  private KeptParty(OnContext context, Coordination coordination) {
    this.context = context;
    this.coordination = coordination;
  }

  /** Starts one, or fails as a gateway would. */
  static KeptParty start(Vertx vertx, CoordinationStore store, String prefix, EpochTerms terms) {
    OnContext context = new OnContext(vertx);
    Coordination coordination =
        context.run(
            () -> {
              EpochKeeping keeping = new EpochKeeping(store, prefix, terms);
              return keeping
                  .settleFirst(LedgerFixture.deadline())
                  .map(unused -> coordinate(vertx, store, prefix, keeping));
            });
    KeptParty party = new KeptParty(context, coordination);
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> party.call(() -> coordination.session().refresh().map(true).otherwise(false)));
    return party;
  }

  private static Coordination coordinate(
      Vertx vertx, CoordinationStore store, String prefix, EpochKeeping keeping) {
    return Coordination.start(
        new Coordination.Setup(
            vertx,
            store,
            prefix,
            LedgerFixture.CLOCKS,
            "here:1",
            KeptParty::random,
            new DrainBarrier(Duration.ofMillis(250)),
            () -> Duration.ofSeconds(1),
            keeping),
        () -> {});
  }

  private static byte[] random(int bytes) {
    byte[] out = new byte[bytes];
    RANDOM.nextBytes(out);
    return out;
  }

  <T> T call(Supplier<Future<T>> work) {
    return context.run(work);
  }

  Coordination coordination() {
    return coordination;
  }

  Grant acquire() {
    AcquireRequest request =
        new AcquireRequest(
            LedgerFixture.R,
            Principal.ANONYMOUS,
            RequestId.parse("r" + RANDOM.nextInt(1 << 30) + "-" + requests++).orThrow(),
            new HolderId("a holder"),
            Duration.ofSeconds(30),
            "{}",
            Duration.ofMinutes(2));
    return LedgerFixture.granted(
        call(() -> coordination.locks().acquire(request, LedgerFixture.deadline())));
  }

  void release(Grant grant) {
    LedgerFixture.granted(
        call(
            () ->
                coordination
                    .locks()
                    .release(grant.resource(), grant.leaseId(), LedgerFixture.deadline())));
  }

  Ruling<Verified> raise(Grant grant) {
    return OnContext.await(startRaise(grant));
  }

  CompletableFuture<Ruling<Verified>> startRaise(Grant grant) {
    return context.start(
        () ->
            coordination
                .epochs()
                .verifyAndRaise(
                    grant.resource(),
                    new WriteHeader(grant.token(), grant.leaseId().proof()),
                    true,
                    null,
                    LedgerFixture.deadline()));
  }

  /** Judges without raising. */
  Ruling<Verified> judge(Grant grant) {
    return call(
        () ->
            coordination
                .epochs()
                .verify(
                    grant.resource(),
                    new WriteHeader(grant.token(), grant.leaseId().proof()),
                    true,
                    LedgerFixture.deadline()));
  }

  Ruling<Broken> breakLock(Optional<FencingToken> only) {
    return call(
        () -> coordination.breaker().breakLock(LedgerFixture.R, only, LedgerFixture.deadline()));
  }

  void close() {
    call(() -> coordination.close());
  }
}
