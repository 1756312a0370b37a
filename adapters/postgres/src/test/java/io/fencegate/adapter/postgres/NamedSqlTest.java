/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.model.Operation;
import io.fencegate.policy.name.OperationName;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamedSqlTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT ':a'",
        "SELECT 'it''s :a'",
        "SELECT E'\\':a'",
        "SELECT \":a\"",
        "SELECT \"q\"\":a\"",
        "SELECT 1 -- :a",
        "SELECT 1 /* :a /* :b */ :c */",
        "SELECT $$:a$$",
        "SELECT $tag$ :a $$ :b $tag$",
        "SELECT 1::int8",
        "SELECT f(x := 1)",
        "SELECT a[1 : 2]",
        "SELECT 1 AS \"a:b\"",
      })
  void whatOnlyLooksLikeAParameterIsNone(String sql) {
    assertThat(NamedSql.parse(sql).names()).isEmpty();
    assertThat(NamedSql.parse(sql).isUnterminated()).isFalse();
  }

  @Test
  void parametersAreFoundAmongAllOfThat() {
    String sql = "INSERT INTO t VALUES (:a, ':b', :c::int, $$:d$$, :a, /* :e */ :f_1)-- :g\n, (:h)";
    assertThat(NamedSql.parse(sql).names()).containsExactly("a", "c", "f_1", "h");
  }

  @Test
  void backslashEscapesOnlyInEscapeStrings() {
    assertThat(NamedSql.parse("SELECT '\\', :a").names()).containsExactly("a");
    assertThat(NamedSql.parse("SELECT E'\\\\', :a").names()).containsExactly("a");
    assertThat(NamedSql.parse("SELECT nameE '\\', :a").names()).containsExactly("a");
  }

  @Test
  void everyParameterIsSentAsTextAndCast() {
    Operation operation =
        new Operation(
            new OperationName("op"),
            "INSERT INTO t VALUES (:region, :n, ':n', :n::text)",
            Map.of("n", "bigint"),
            0);
    assertThat(BoundOperation.of(operation).sql())
        .isEqualTo(
            "INSERT INTO t VALUES (($1::text)::text, ($2::text)::int8, ':n',"
                + " ($2::text)::int8::text)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT 1; SELECT 2 | true",
        "SELECT 1; /* no */ DELETE FROM t | true",
        "SELECT 1; | false",
        "SELECT 1 ;  -- done | false",
        "SELECT ';' | false",
        "SELECT $$;$$ | false",
        "SELECT \";\" | false",
        "SELECT 1; ':a' | true",
      })
  void severalStatementsAreSeen(String sql, boolean several) {
    assertThat(NamedSql.parse(sql).isSeveral()).isEqualTo(several);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SELECT 'a", "SELECT \"a", "SELECT /* a /* b */", "SELECT $x$ a $y$"})
  void missingEndsAreSeen(String sql) {
    assertThat(NamedSql.parse(sql).isUnterminated()).isTrue();
  }

  @Test
  void positionsAreSeen() {
    assertThat(NamedSql.parse("SELECT $1").isPositional()).isTrue();
    assertThat(NamedSql.parse("SELECT a$1").isPositional()).isFalse();
    assertThat(NamedSql.parse("SELECT '$1'").isPositional()).isFalse();
  }

  @Test
  void keywordIsTheFirstWordBehindComments() {
    assertThat(NamedSql.parse("/* a */ -- b\n insert INTO t").keyword()).isEqualTo("INSERT");
    assertThat(NamedSql.parse("(SELECT 1)").keyword()).isEmpty();
  }
}
