/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.ParamValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ParamTypeTest {

  @ParameterizedTest
  @CsvSource({
    "int2, 32767, true",
    "int2, 32768, false",
    "int2, -32769, false",
    "integer, 2147483647, true",
    "integer, 2147483648, false",
    "integer, 1.0, false",
    "integer, 1e3, false",
    "bigint, 9223372036854775807, true",
    "bigint, 9223372036854775808, false",
    "bigint, -9223372036854775808, true",
    "numeric, 12.50, true",
    "numeric, 1e400, true",
    "numeric, 1e99999, false",
    "text, 1, false",
    "boolean, 1, false",
    "uuid, 1, false",
    "jsonb, 1, true",
  })
  void numbersAreTakenExactlyWhereTheyFit(String type, String literal, boolean taken) {
    assertThat(ParamType.named(type).orElseThrow().takes(new ParamValue.Num(literal)))
        .isEqualTo(taken);
  }

  @ParameterizedTest
  @CsvSource({
    "numeric, NaN, true",
    "numeric, Infinity, false",
    "numeric, .5, true",
    "numeric, 5., true",
    "numeric, '', false",
    "numeric, ' 1', false",
    "numeric, 0x10, false",
    "int4, 17, true",
    "int4, +17, true",
    "int4, 1_000, false",
    "boolean, true, false",
    "uuid, 6f1c0a3e-8f5b-4c55-9d52-0f4c8a1f9b1e, true",
    "uuid, 6f1c0a3e8f5b4c559d520f4c8a1f9b1e, false",
    "uuid, '{6f1c0a3e-8f5b-4c55-9d52-0f4c8a1f9b1e}', false",
    "date, 2026-11-30, true",
    "date, 2026-02-30, false",
    "date, 20261130, false",
    "date, now, false",
    "date, 0000-01-01, false",
    "date, +12026-01-01, false",
    "timestamptz, 2026-11-30T12:00:00Z, true",
    "timestamptz, 2026-11-30T12:00:00.123456789+05:30, true",
    "timestamptz, 2026-11-30T12:00:00, false",
    "timestamptz, 2026-11-30T12:00:00+17:00, false",
    "timestamptz, infinity, false",
  })
  void stringsAreTakenWhereTheDatabaseWillTakeThem(String type, String text, boolean taken) {
    assertThat(ParamType.named(type).orElseThrow().takes(new ParamValue.Text(text)))
        .isEqualTo(taken);
  }

  @ParameterizedTest
  @CsvSource({
    "'a\u0000b', false",
    "'\ud800', false",
    "'\udc00', false",
    "'\udc00\ud800', false",
    "'\ud83d\ude00', true",
    "'', true",
  })
  void textIsWhatUtf8CanHold(String text, boolean taken) {
    assertThat(ParamType.TEXT.takes(new ParamValue.Text(text))).isEqualTo(taken);
    assertThat(ParamType.JSONB.takes(new ParamValue.Text(text))).isEqualTo(taken);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":\"\\u0000\"} | false",
        "{\"a\":\"\\ud800\"} | false",
        "{\"a\":\"\\ud83d\\ude00\"} | true",
        "{\"a\":\"\\\\u0000\"} | true",
        "[1,2] | true",
      })
  void jsonIsWhatJsonbCanHold(String json, boolean taken) {
    assertThat(ParamType.JSONB.takes(new ParamValue.Json(json))).isEqualTo(taken);
    assertThat(ParamType.TEXT.takes(new ParamValue.Json(json))).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void nullIsAValueOfEveryType(ParamType type) {
    assertThat(type.takes(new ParamValue.Null())).isTrue();
    assertThat(type.textOf(new ParamValue.Null())).isNull();
  }
}
