/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.tck.OnContext;
import io.fencegate.coordination.epoch.EpochStore;
import io.fencegate.coordination.epoch.EpochStore.Raise;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.policy.outcome.Ruling;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the ledger keeps, and how it rises. */
class PostgresEpochsIT extends LedgerFixture {

  private static Raise raised() {
    return new Raise.Raised(Optional.empty());
  }

  @Test
  void anEpochRisesToHigherTokensOnlyAndEqualOnesPass() {
    assertThat(granted(look())).isEmpty();
    assertThat(granted(raise(lock(42)))).isEqualTo(raised());
    assertThat(granted(raise(lock(42)))).isEqualTo(raised());
    assertThat(granted(raise(lock(41)))).isEqualTo(new Raise.Higher(lock(42)));
    assertThat(granted(raise(lock(50)))).isEqualTo(raised());
    assertThat(database.kept(R.value())).containsExactly("50 lock");
    assertThat(granted(look())).contains(new EpochStore.Kept(lock(50), Optional.empty()));
  }

  @Test
  void anEqualTokenWritesNothing() {
    granted(raise(lock(42)));
    String version = "SELECT xmin::text FROM fencegate_ledger.epochs";
    List<String> before = database.column(version);
    granted(raise(lock(42)));
    granted(raise(lock(41)));
    assertThat(database.column(version)).isEqualTo(before);
  }

  @Test
  void aBreaksNumberShutsLowerTokensOutAndNotTheSameOneOfALock() {
    granted(raise(lock(42)));
    EpochRecord fence = EpochRecord.fence(token(43));
    assertThat(granted(raise(fence))).isEqualTo(raised());
    assertThat(granted(raise(lock(42)))).isEqualTo(new Raise.Higher(fence));
    assertThat(granted(raise(lock(43)))).isEqualTo(raised());
    assertThat(granted(raise(fence))).isEqualTo(raised());
    assertThat(granted(look())).contains(new EpochStore.Kept(lock(43), Optional.empty()));
  }

  @Test
  void tokensOfAnotherSourceMoveNothingWhateverTheirNumber() {
    EpochRecord external = EpochRecord.external(token(50));
    granted(raise(external));
    for (EpochRecord other :
        List.of(lock(1), lock(50), lock(1L << 60), EpochRecord.election(token(51)))) {
      assertThat(granted(raise(other))).isEqualTo(new Raise.OtherSource(external));
    }
    assertThat(database.kept(R.value())).containsExactly("50 external");
  }

  @Test
  void confirmedOnlyRisesAndNeverAboveTheEpoch() {
    granted(raise(lock(9)));
    for (long each : new long[] {5, 3, 9, 7}) {
      granted(context.run(() -> ledger.confirm(R, token(each), deadline())));
    }
    assertThat(granted(raise(lock(9)))).isEqualTo(new Raise.Raised(Optional.of(token(9))));
    unavailable(context.run(() -> ledger.confirm(R, token(10), deadline())));
    assertThat(database.kept(R.value())).containsExactly("9 lock 9");
  }

  @Test
  void onlyWhatWasSeenIsForgotten() {
    granted(raise(EpochRecord.external(token(50))));
    assertThat(granted(forget(EpochRecord.external(token(49))))).isFalse();
    assertThat(granted(forget(lock(50)))).isFalse();
    assertThat(granted(forget(EpochRecord.external(token(50))))).isTrue();
    assertThat(granted(forget(EpochRecord.external(token(50))))).isTrue();
    assertThat(granted(raise(lock(3)))).isEqualTo(raised());
  }

  private Ruling<Boolean> forget(EpochRecord seen) {
    return context.run(() -> ledger.forget(R, seen, deadline()));
  }

  @Test
  void concurrentRaisesOfSeveralGatewaysNeverLowerTheEpoch() throws Exception {
    int gateways = 3;
    int each = Boolean.getBoolean("fencegate.full") ? 2_000 : 200;
    long seed = new Random().nextLong();
    database.run("SELECT 1");
    granted(raise(lock(1)));
    database.run(
        """
        CREATE TABLE seen (at bigserial, epoch bigint);
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          $$ BEGIN INSERT INTO public.seen (epoch) VALUES (NEW.epoch); RETURN NEW; END $$;
        CREATE TRIGGER note AFTER UPDATE ON fencegate_ledger.epochs
          FOR EACH ROW EXECUTE FUNCTION note();
        """);
    List<PostgresEpochs> ledgers = new ArrayList<>();
    List<CompletableFuture<Ruling<Raise>>> raises = new ArrayList<>();
    List<Long> asked = new ArrayList<>();
    try {
      Random random = new Random(seed);
      List<OnContext> contexts = new ArrayList<>();
      for (int i = 0; i < gateways; i++) {
        ledgers.add(new PostgresEpochs(vertx, CLOCKS, database.settings()));
        contexts.add(new OnContext(vertx));
      }
      for (int i = 0; i < each * gateways; i++) {
        long value = 2L + random.nextInt(each * gateways);
        PostgresEpochs one = ledgers.get(i % gateways);
        asked.add(value);
        raises.add(contexts.get(i % gateways).start(() -> one.raise(R, lock(value), deadline())));
      }
      long highest = asked.stream().mapToLong(Long::longValue).max().orElseThrow();
      for (int i = 0; i < raises.size(); i++) {
        Raise raise = granted(OnContext.await(raises.get(i)));
        assertThat(raise).as("seed %d", seed).isNotInstanceOf(Raise.OtherSource.class);
        if (raise instanceof Raise.Higher higher) {
          assertThat(higher.found().raised()).isGreaterThan(token(asked.get(i)));
        }
      }
      assertThat(database.kept(R.value())).containsExactly(highest + " lock");
      List<Long> epochs =
          database.column("SELECT epoch FROM seen ORDER BY at").stream()
              .map(Long::valueOf)
              .toList();
      assertThat(epochs).as("seed %d", seed).isNotEmpty().isSorted().doesNotHaveDuplicates();
    } finally {
      for (PostgresEpochs one : ledgers) {
        context.run(one::close);
      }
    }
  }

  @Test
  void aRoleThatMayOnlyCallTheFunctionsSuffices() {
    database.run(LedgerSchema.ddl());
    database.run(LedgerSchema.ddl());
    database.run(
        "CREATE ROLE gate_"
            + database.name()
            + " LOGIN PASSWORD 'pw';"
            + "GRANT USAGE ON SCHEMA fencegate_ledger TO gate_"
            + database.name()
            + "; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA fencegate_ledger TO gate_"
            + database.name());
    PostgresEpochs least =
        new PostgresEpochs(
            vertx,
            CLOCKS,
            new LedgerSettings(
                database.url("gate_" + database.name(), "pw", database.port()), false));
    try {
      granted(context.run(() -> least.raise(R, lock(42), deadline())));
      granted(context.run(() -> least.confirm(R, token(42), deadline())));
      assertThat(granted(context.run(() -> least.look(R, deadline()))))
          .contains(new EpochStore.Kept(lock(42), Optional.of(token(42))));
      assertThat(granted(context.run(() -> least.forget(R, lock(42), deadline())))).isTrue();
    } finally {
      context.run(least::close);
    }
  }

  @Test
  void severalGatewaysThatStartAtOnceMakeOneLedger() {
    List<PostgresEpochs> ledgers = new ArrayList<>();
    List<CompletableFuture<Ruling<String>>> identities = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      PostgresEpochs one = new PostgresEpochs(vertx, CLOCKS, database.settings());
      ledgers.add(one);
      identities.add(new OnContext(vertx).start(() -> one.identity(deadline())));
    }
    assertThat(identities.stream().map(it -> granted(OnContext.await(it))).distinct()).hasSize(1);
    ledgers.forEach(one -> context.run(one::close));
  }
}
