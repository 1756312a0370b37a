/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fencegate.adapter.tck.OnContext;
import io.fencegate.adapter.tck.SystemClocks;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** The purge by itself, with rounds in quick succession. */
class PostgresPurgeIT {

  private static final Duration PAUSE = Duration.ofMillis(5);

  /** Time for many rounds. */
  private static final Duration A_WHILE = Duration.ofMillis(300);

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> listener =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          told.add(event.getLevel() + " " + event.getFormattedMessage());
        }
      };
  private final Logger log = (Logger) LoggerFactory.getLogger(Purger.class);
  private final Vertx vertx = Vertx.vertx();
  private final OnContext context = new OnContext(vertx);
  private TestDatabase database;
  private String role;
  private Connections connections;
  private Purger purger;

  @RegisterExtension
  final BeforeEachCallback ownDatabase =
      context -> {
        database = TestDatabase.create(context);
        role = "purge_" + database.name();
      };

  @BeforeEach
  void start() {
    listener.start();
    log.addAppender(listener);
    database.run(Schema.ddl());
    database.run("CREATE ROLE " + role + " LOGIN PASSWORD 'pw'");
    database.run("GRANT USAGE ON SCHEMA fencegate TO " + role);
    Clocks clocks = new SystemClocks();
    String url = database.url(role, "pw", database.port());
    connections = new Connections(vertx, clocks, database.settings(Map.of("url", url)));
    purger = new Purger(vertx, clocks, connections, PAUSE);
  }

  @AfterEach
  void stop() {
    context.run(
        () -> {
          purger.close();
          return connections.close();
        });
    OnContext.await(vertx.close().toCompletionStage().toCompletableFuture());
    log.detachAppender(listener);
  }

  @Test
  void rowsWhoseTimeIsOverGoByThemselvesAndNobodyIsTold() {
    grant();
    startPurging();
    insertOverdueRow();
    await().until(() -> rows().isEmpty());
    assertThat(told).isEmpty();
  }

  @Test
  void failingPurgeIsToldOncePerSeriesAndSoIsItsEnd() {
    startPurging();
    await().until(() -> told.size() == 1);
    await().during(A_WHILE).until(() -> told.size() == 1);
    assertThat(told.get(0)).startsWith("WARN").contains("purge");
    insertOverdueRow();
    grant();
    await().until(() -> rows().isEmpty() && told.size() == 2);
    assertThat(told.get(1)).startsWith("INFO");
    database.run("REVOKE EXECUTE ON FUNCTION fencegate.purge(integer) FROM " + role);
    await().until(() -> told.size() == 3);
    assertThat(told.get(2)).isEqualTo(told.get(0));
  }

  private void startPurging() {
    context.run(
        () -> {
          purger.start();
          return Future.succeededFuture();
        });
  }

  private void grant() {
    database.run("GRANT EXECUTE ON FUNCTION fencegate.purge(integer) TO " + role);
  }

  private void insertOverdueRow() {
    database.run(
        "INSERT INTO fencegate.writes (id, state, keep_until)"
            + " VALUES ('x', 'cancelled', clock_timestamp() - interval '1 s')");
  }

  private List<String> rows() {
    return database.column("SELECT id FROM fencegate.writes");
  }
}
