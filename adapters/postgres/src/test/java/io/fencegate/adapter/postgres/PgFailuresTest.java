/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PgFailuresTest {

  static Stream<Arguments> failures() {
    return Stream.of(
        arguments(new ConnectException("Connection refused: db/10.0.0.1"), "connection refused"),
        arguments(new ConnectException("connection timed out after 5 ms: db"), "timed out"),
        arguments(new TimeoutException(), "timed out"),
        arguments(new UnknownHostException("db"), "host not known"),
        arguments(new NoRouteToHostException("db"), "no route to the host"),
        arguments(new SocketException("Network is unreachable"), "no route to the host"),
        arguments(new SSLHandshakeException("app"), "no TLS connection came about"),
        arguments(ClosedConnectionException.INSTANCE, "connection closed by the server"),
        arguments(new IOException("Connection reset by peer"), "connection closed by the server"),
        arguments(
            new IllegalStateException("app"),
            "it broke before the login was done (IllegalStateException)"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void connectionThatDidNotComeAboutIsNamedByItsReasonAndPlaceAlone(Throwable failure, String why) {
    Refusal refusal = PgFailures.ofConnect(failure, "db:5432");
    assertThat(refusal.code()).isEqualTo(RefusalCode.UPSTREAM_UNREACHABLE);
    assertThat(refusal.detail()).isEqualTo("no connection to the database at db:5432: " + why);
  }

  @ParameterizedTest
  @CsvSource({
    "28P01, refuses the login",
    "28000, refuses the login",
    "3D000, has no database of that name",
    "53300, has no connection left",
    "57P03, is starting or stopping",
    "42501, does not let this role connect",
    "XX000, takes no connection",
  })
  void serversNoIsNamedWithoutItsWords(String state, String why) {
    PgException no = new PgException("user \"app\"", "FATAL", state, null);
    Refusal refusal = PgFailures.ofConnect(no, "db:5432");
    assertThat(refusal.code()).isEqualTo(RefusalCode.DOWNSTREAM_UNAVAILABLE);
    assertThat(refusal.sqlState()).isEqualTo(state);
    assertThat(refusal.detail())
        .isEqualTo("the database at db:5432 " + why + " (SQLSTATE " + state + ")");
  }

  @Test
  void placeIsHostAndPortAndNeverUserOrPassword() {
    assertThat(place("postgresql://app:s3cr3t@db.example:6432/ledger"))
        .isEqualTo("db.example:6432");
    assertThat(place("postgresql://app:s3cr3t@db.example/ledger")).isEqualTo("db.example:5432");
  }

  private static String place(String url) {
    return PostgresSettings.of(
            new AdapterConfig(new AdapterName("db"), "postgres", Map.of("url", url)))
        .place();
  }
}
