/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * The ledger's schema: looked for on first use, created where it is missing and that is wanted, and
 * never created again by the same process. A ledger that vanished is not replaced by an empty one.
 */
public final class LedgerSchema {

  /** The version that this code works with. */
  static final int VERSION = 1;

  private static final String LOOK = "SELECT version, identity FROM fencegate_ledger.about()";

  /** Several gateways may start at once: one creates, the others wait for it. */
  private static final String ALONE = "SELECT pg_advisory_xact_lock(4242010102)";

  /** For looking and creating, whoever asks first and however little time that one has. */
  private static final Duration BUDGET = Duration.ofSeconds(10);

  private final Clocks clocks;
  private final Lines lines;
  private final boolean install;
  private Optional<Future<String>> identity = Optional.empty();
  private boolean wasThere;

  LedgerSchema(Clocks clocks, Lines lines, boolean install) {
    this.clocks = clocks;
    this.lines = lines;
    this.install = install;
  }

  /** What creates the schema; safe to run again. */
  public static String ddl() {
    try (InputStream in = LedgerSchema.class.getResourceAsStream("schema.sql")) {
      if (in == null) {
        throw new IllegalStateException("schema.sql is missing in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Which ledger it is. Looked for once; after a failure the next caller looks again. */
  Future<String> identity() {
    Optional<Future<String>> looking = identity.filter(it -> !it.failed());
    if (looking.isPresent()) {
      return looking.get();
    }
    long deadlineNanos = clocks.read().monotonicNanos() + BUDGET.toNanos();
    Future<String> asked = look(deadlineNanos).recover(failure -> missing(failure, deadlineNanos));
    identity = Optional.of(asked);
    return asked.onSuccess(found -> wasThere = true);
  }

  private Future<String> look(long deadlineNanos) {
    return lines.call(LOOK, Tuple.tuple(), deadlineNanos).compose(LedgerSchema::check);
  }

  private static Future<String> check(RowSet<Row> found) {
    Row row = found.iterator().next();
    Integer version = row.getInteger(0);
    String name = row.getString(1);
    if (version == null || version != VERSION) {
      return unusable("its schema has version " + version + ", expected " + VERSION);
    }
    return name == null || !name.matches("[!-~]{1,64}")
        ? unusable("it has no identity of up to 64 visible characters")
        : Future.succeededFuture(name);
  }

  private Future<String> missing(Throwable failure, long deadlineNanos) {
    if (!LedgerFailures.isNotInstalled(failure)) {
      return Future.failedFuture(failure);
    }
    if (!install || wasThere) {
      return unusable(
          "its schema fencegate_ledger is missing"
              + (wasThere
                  ? ", which was there before"
                  : " and epochs.install is false: run 'fencegate sql install --ledger' and apply"
                      + " what it prints"));
    }
    String script = "BEGIN;" + ALONE + ";" + ddl() + ";COMMIT";
    return lines
        .run((line, patience) -> create(line, script), deadlineNanos)
        .compose(created -> look(deadlineNanos));
  }

  /** The line may be left in a failed transaction, so it is of no further use then. */
  private static Future<RowSet<Row>> create(Line line, String script) {
    return line.script(script, BUDGET.toMillis()).onFailure(failure -> line.destroy());
  }

  private static Future<String> unusable(String why) {
    return Future.failedFuture(new LedgerFailures.Unusable(why));
  }
}
