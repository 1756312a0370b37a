/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.adapter.tck.OnContext;
import io.fencegate.policy.name.ResourceName;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Values arrive as they were given, results come back exact. */
class PostgresValuesIT {

  private static final ResourceName RESOURCE = new ResourceName("values/one");

  private final Vertx vertx = Vertx.vertx();
  private TestDatabase database;
  private TestGateway gateway;

  @RegisterExtension
  final BeforeEachCallback ownDatabase = context -> database = TestDatabase.create(context);

  @BeforeEach
  void open() {
    database.run(
        "CREATE TABLE everything (t text, n numeric, i2 int2, i4 int4, i8 int8, b boolean,"
            + " u uuid, d date, z timestamptz, j jsonb)");
    gateway = new TestGateway(vertx, database.settings());
    gateway.sealed(RESOURCE, 7);
  }

  @AfterEach
  void stop() {
    gateway.close();
    OnContext.await(vertx.close().toCompletionStage().toCompletableFuture());
  }

  @Test
  void textRoundTripsWhateverItHolds() {
    List<String> texts =
        List.of(
            "",
            "'; DROP TABLE entries; --",
            "$1 :name ::text \\ \" $$x$$ E'\\''",
            "null",
            "line\nline\r\t\u0001\u007f",
            "\u00e4\u00df\u4e2d\u0600\ufeff\uffff",
            "\ud83d\ude00 \ud800\udc00 \udbff\udfff \ud869\udea5 \udb40\udc01");
    for (String text : texts) {
      JsonObject row = echo("text", new ParamValue.Text(text));
      assertThat(row.getString("x")).isEqualTo(text);
    }
    StringBuilder planes = new StringBuilder();
    for (int plane = 0; plane <= 16; plane++) {
      planes.appendCodePoint(plane * 0x10000 + 0x1234);
    }
    assertThat(echo("text", new ParamValue.Text(planes.toString())).getString("x"))
        .isEqualTo(planes.toString());
  }

  @Test
  void numbersKeepEveryDigit() {
    String long30 = "123456789012345678901234567890.123456789012345678901234567890";
    assertThat(echo("numeric", new ParamValue.Num(long30)).getValue("x")).isEqualTo(long30);
    assertThat(echo("numeric", new ParamValue.Text("12.50")).getValue("x")).isEqualTo("12.50");
    assertThat(echo("numeric", new ParamValue.Num("1e3")).getValue("x")).isEqualTo("1000");
    assertThat(echo("numeric", new ParamValue.Text("NaN")).getValue("x")).isEqualTo("NaN");
    assertThat(echo("bigint", new ParamValue.Num("-9223372036854775808")).getValue("x"))
        .isEqualTo("-9223372036854775808");
    assertThat(echo("integer", new ParamValue.Num("2147483647")).getValue("x"))
        .isEqualTo(2147483647);
    assertThat(echo("smallint", new ParamValue.Text("-32768")).getValue("x")).isEqualTo(-32768);
  }

  @Test
  void otherTypesRoundTrip() {
    assertThat(echo("boolean", new ParamValue.Bool(true)).getValue("x")).isEqualTo(true);
    String uuid = "6f1c0a3e-8f5b-4c55-9d52-0f4c8a1f9b1e";
    assertThat(echo("uuid", new ParamValue.Text(uuid)).getValue("x")).isEqualTo(uuid);
    assertThat(echo("date", new ParamValue.Text("2026-11-30")).getValue("x"))
        .isEqualTo("2026-11-30");
    assertThat(
            echo("timestamptz", new ParamValue.Text("2026-11-30T12:00:00.123456+02:00"))
                .getString("x"))
        .startsWith("2026-11-30T10:00:00.123456");
    assertThat(echo("jsonb", new ParamValue.Json("{\"a\":[1,true,null,\"x\"]}")).getValue("x"))
        .isEqualTo(new JsonObject("{\"a\":[1,true,null,\"x\"]}"));
    assertThat(echo("jsonb", new ParamValue.Text("a\"b")).getValue("x")).isEqualTo("a\"b");
    assertThat(echo("jsonb", new ParamValue.Num("7")).getValue("x")).isEqualTo(7);
    assertThat(echo("jsonb", new ParamValue.Bool(false)).getValue("x")).isEqualTo(false);
    for (String type : List.of("text", "numeric", "int8", "uuid", "jsonb", "timestamptz")) {
      assertThat(echo(type, new ParamValue.Null()).getValue("x")).isNull();
    }
  }

  @Test
  void databasesOwnTypesComeBackAsJson() {
    JsonObject row =
        rows(
                "SELECT 1.5::float8 AS f, 'NaN'::float8 AS nan, '\\xdeadbeef'::bytea AS bytes,"
                    + " ARRAY[1,2] AS ints, ARRAY['a','b'] AS texts, '{\"k\":[1]}'::json AS js,"
                    + " 'null'::jsonb AS jnull, 3::int8 AS big,"
                    + " '10:11'::time AS t, 'a'::char(2) AS c,"
                    + " 'infinity'::timestamptz AS for_ever, '-infinity'::date AS never,"
                    + " '2026-11-30 10:00Z'::timestamptz AS z, '2026-01-02 10:00'::timestamp AS l",
                Map.of(),
                Map.of())
            .getJsonObject(0);
    assertThat(row.getValue("f")).isEqualTo(1.5);
    assertThat(row.getValue("nan")).isEqualTo("NaN");
    assertThat(row.getValue("bytes")).isEqualTo("\\xdeadbeef");
    assertThat(row.getJsonArray("ints")).isEqualTo(new JsonArray("[1,2]"));
    assertThat(row.getJsonArray("texts")).isEqualTo(new JsonArray("[\"a\",\"b\"]"));
    assertThat(row.getJsonObject("js")).isEqualTo(new JsonObject("{\"k\":[1]}"));
    assertThat(row.getValue("jnull")).isNull();
    assertThat(row.getValue("big")).isEqualTo("3");
    assertThat(row.getValue("t")).isEqualTo("10:11:00");
    assertThat(row.getValue("for_ever")).isEqualTo("infinity");
    assertThat(row.getValue("never")).isEqualTo("-infinity");
    assertThat(row.getString("z")).matches("2026-11-30T10:00:00(Z|[+-]00:00)");
    assertThat(row.getValue("l")).isEqualTo("2026-01-02T10:00:00");
  }

  @Test
  void aResultThatCannotBeToldExactlyRefusesTheWriteAndChangesNothing() {
    for (String column :
        List.of("inet '127.0.0.1'", "interval '1 day'", "5::money", "1::oid", "point '(1,2)'")) {
      assertThat(refusal("INSERT INTO everything (t) VALUES ('x') RETURNING " + column + " AS c"))
          .contains("column c")
          .contains("cast to text");
    }
    assertThat(refusal("INSERT INTO everything (t) VALUES ('x') RETURNING 1 AS a, 2 AS a"))
        .contains("two columns a");
    assertThat(database.column("SELECT count(*) FROM everything")).containsExactly("0");
    assertThat(rows("SELECT pg_sleep(0) AS s", Map.of(), Map.of()).getJsonObject(0).getValue("s"))
        .as("a function without a result")
        .isNull();
    JsonArray cast = rows("SELECT (inet '127.0.0.1')::text AS c", Map.of(), Map.of());
    assertThat(cast.getJsonObject(0).getString("c")).startsWith("127.0.0.1");
  }

  private String refusal(String sql) {
    WriteContent content =
        new WriteContent(
            Map.of(), List.of(TestDatabase.operation("op", sql, Map.of()).with(Map.of())));
    ApplyOutcome outcome = gateway.apply(RESOURCE, 7, content);
    assertThat(outcome).as(sql).isInstanceOf(ApplyOutcome.Rejected.class);
    return ((ApplyOutcome.Rejected) outcome).refusal().detail();
  }

  @Test
  void rowsAreOnlyThereWhereTheStatementReturnsSome() {
    ApplyOutcome.Applied applied =
        apply("INSERT INTO everything (t) SELECT 'a' FROM generate_series(1, 3)");
    assertThat(applied.resultsJson()).isEqualTo("[{\"operation\":\"op\",\"rowCount\":3}]");
    ApplyOutcome.Applied none = apply("UPDATE everything SET t = 'b' WHERE t = 'no' RETURNING t");
    assertThat(none.resultsJson()).isEqualTo("[{\"operation\":\"op\",\"rowCount\":0,\"rows\":[]}]");
  }

  @Test
  void variablesOfThePatternAreBoundAsText() {
    WriteContent content =
        new WriteContent(
            Map.of("region", "eu"),
            List.of(
                TestDatabase.operation(
                        "op", "SELECT :region || :t AS x, :t AS y", Map.of("t", "text"))
                    .with(Map.of("t", new ParamValue.Text("!")))));
    ApplyOutcome.Applied applied = (ApplyOutcome.Applied) gateway.apply(RESOURCE, 7, content);
    assertThat(applied.resultsJson())
        .isEqualTo(
            "[{\"operation\":\"op\",\"rowCount\":1,\"rows\":[{\"x\":\"eu!\",\"y\":\"!\"}]}]");
  }

  private JsonObject echo(String type, ParamValue value) {
    return rows("SELECT :x AS x", Map.of("x", type), Map.of("x", value)).getJsonObject(0);
  }

  private ApplyOutcome.Applied apply(String sql) {
    return apply(sql, Map.of(), Map.of());
  }

  private ApplyOutcome.Applied apply(
      String sql, Map<String, String> types, Map<String, ParamValue> params) {
    WriteContent content =
        new WriteContent(Map.of(), List.of(TestDatabase.operation("op", sql, types).with(params)));
    assertThat(gateway.adapter().objection(content)).isEmpty();
    ApplyOutcome outcome = gateway.apply(RESOURCE, 7, content);
    assertThat(outcome).as("%s with %s", sql, params).isInstanceOf(ApplyOutcome.Applied.class);
    return (ApplyOutcome.Applied) outcome;
  }

  private JsonArray rows(String sql, Map<String, String> types, Map<String, ParamValue> params) {
    return new JsonArray(apply(sql, types, params).resultsJson())
        .getJsonObject(0)
        .getJsonArray("rows");
  }
}
