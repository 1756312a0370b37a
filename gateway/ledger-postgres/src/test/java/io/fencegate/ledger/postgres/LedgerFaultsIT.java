/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.tck.OnContext;
import io.fencegate.coordination.epoch.EpochStore;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.Ruling;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever is wrong with the ledger, nothing is accepted; what comes back is used again. */
class LedgerFaultsIT extends LedgerFixture {

  private static final String TABLE = "fencegate_ledger.epochs";

  @Test
  void aRefusedConnectionRefusesAndIsTriedAgain() {
    wire.cut();
    wire.reset();
    unavailable(raise(lock(42)));
    wire.pass();
    granted(raise(lock(42)));
  }

  @Test
  void aSilentServerRefusesInBoundedTimeAndIsUsedAgainWhenItAnswers() {
    granted(raise(lock(42)));
    wire.blackhole();
    long before = System.nanoTime();
    Refusal refusal = unavailable(raise(lock(43)));
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(7));
    assertThat(refusal.detail()).contains("no answer in time");
    wire.pass();
    granted(raise(lock(43)));
  }

  @Test
  void theLossOfConnectionsIsNoOutage() {
    granted(raise(lock(42)));
    wire.reset();
    granted(raise(lock(43)));
    database.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE application_name = 'fencegate-ledger' AND datname = current_database()");
    granted(raise(lock(44)));
  }

  @Test
  void aLostAnswerIsAskedForAgain() {
    granted(raise(lock(42)));
    wire.swallowRepliesOnceSent(R.value());
    assertThat(granted(raise(lock(43)))).isInstanceOf(EpochStore.Raise.Raised.class);
    assertThat(wire.hasStruck()).isTrue();
    assertThat(database.kept(R.value())).containsExactly("43 lock");
  }

  @Test
  void aMissingTableRefusesAndNoEmptyOneTakesItsPlace() {
    granted(raise(lock(42)));
    database.run("ALTER TABLE " + TABLE + " RENAME TO hidden");
    unavailable(raise(lock(43)));
    unavailable(look());
    database.run("ALTER TABLE fencegate_ledger.hidden RENAME TO epochs");
    granted(raise(lock(43)));
  }

  @Test
  void aMissingSchemaIsNotMadeAgainByAGatewayThatKnewIt() {
    granted(raise(lock(42)));
    database.run("DROP SCHEMA fencegate_ledger CASCADE");
    unavailable(raise(lock(43)));
    assertThat(database.column("SELECT 1 FROM pg_namespace WHERE nspname = 'fencegate_ledger'"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "no epoch | ALTER TABLE %t ALTER epoch DROP NOT NULL; UPDATE %t SET epoch = NULL",
        "no source | ALTER TABLE %t ALTER source DROP NOT NULL; UPDATE %t SET source = NULL",
        "other source | ALTER TABLE %t DROP CONSTRAINT epochs_source_check;"
            + " UPDATE %t SET source = 'abc'",
        "zero | ALTER TABLE %t DROP CONSTRAINT epochs_epoch_check; UPDATE %t SET epoch = 0",
        "negative | ALTER TABLE %t DROP CONSTRAINT epochs_epoch_check; UPDATE %t SET epoch = -7",
        "text | ALTER TABLE %t DROP CONSTRAINT epochs_epoch_check;"
            + " ALTER TABLE %t ALTER epoch TYPE text USING 'abc'",
        "bad confirmed | ALTER TABLE %t DROP CONSTRAINT epochs_confirmed_check;"
            + " UPDATE %t SET confirmed = -1",
        "no column | ALTER TABLE %t DROP COLUMN epoch",
        "no identity | DELETE FROM fencegate_ledger.about",
        "another identity | UPDATE fencegate_ledger.about SET identity = 'x'",
        "no key | ALTER TABLE %t DROP CONSTRAINT epochs_pkey",
        "no function | DROP FUNCTION fencegate_ledger.read_epoch",
        "read only | ALTER DATABASE %d SET default_transaction_read_only = on",
      })
  void whatCannotBeReadRefuses(String what, String sql) {
    granted(raise(lock(42)));
    database.run(sql.replace("%t", TABLE).replace("%d", database.name()));
    // What was prepared, and set at login, has to be so anew.
    wire.reset();
    unavailable(raise(lock(43)));
    unavailable(raise(lock(43)));
  }

  @Test
  void aRowThatSomebodyHoldsRefusesInBoundedTimeAndLeavesNoBackendsBehind() throws SQLException {
    granted(raise(lock(42)));
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE " + TABLE + " SET raised_at = now()");
      List<CompletableFuture<Ruling<EpochStore.Raise>>> raises = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        long value = 43L + i;
        raises.add(context.start(() -> ledger.raise(R, lock(value), deadline())));
      }
      raises.forEach(raise -> unavailable(OnContext.await(raise)));
      assertThat(
              database.column(
                  "SELECT pid FROM pg_stat_activity WHERE application_name = 'fencegate-ledger'"
                      + " AND datname = current_database()"))
          .hasSizeLessThanOrEqualTo(2 * Lines.MAX_LINES);
      other.rollback();
    }
    granted(raise(lock(99)));
  }

  @Test
  void neitherPasswordNorUserIsSaid() {
    LedgerSettings settings =
        new LedgerSettings(database.url("somebody", "sesame", database.port()), true);
    PostgresEpochs wrong = new PostgresEpochs(vertx, CLOCKS, settings);
    try {
      Refusal refusal = unavailable(context.run(() -> wrong.raise(R, lock(1), deadline())));
      assertThat(refusal.detail()).doesNotContain("sesame").doesNotContain("somebody");
      assertThat(settings.toString()).doesNotContain("sesame").doesNotContain("somebody");
    } finally {
      context.run(wrong::close);
    }
  }

  @Test
  void aSchemaThatIsNotToBeMadeIsAskedFor() {
    PostgresEpochs bare =
        new PostgresEpochs(vertx, CLOCKS, new LedgerSettings(database.settings().url(), false));
    try {
      assertThat(unavailable(context.run(() -> bare.identity(deadline()))).detail())
          .contains("sql install --ledger");
      database.run(LedgerSchema.ddl());
      granted(context.run(() -> bare.identity(deadline())));
    } finally {
      context.run(bare::close);
    }
  }

  @Test
  void nothingIsAskedAfterTheDeadline() {
    granted(raise(lock(42)));
    unavailable(context.run(() -> ledger.raise(R, lock(43), CLOCKS.read().monotonicNanos() - 1)));
    assertThat(database.kept(R.value())).containsExactly("42 lock");
  }
}
