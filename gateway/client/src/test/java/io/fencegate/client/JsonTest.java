/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1e400",
        "-1.5E-7",
        "123456789012345678901234567890.000000000000000000000000000010",
        "{\"a\":[1,{\"b\":null}],\"c\":\"\"}",
        "\"plain\""
      })
  void whatIsReadIsWrittenBackExactly(String text) throws JsonReader.Malformed {
    assertThat(JsonReader.read(text).write()).isEqualTo(text);
  }

  @Test
  void blanksAreSkippedAndMembersKeepTheirOrder() throws JsonReader.Malformed {
    assertThat(JsonReader.read(" {\r\n\t\"z\" : 1 , \"a\" : [ ] } ").write())
        .isEqualTo("{\"z\":1,\"a\":[]}");
  }

  @Test
  void escapesAndSurrogatePairsAreUnderstood() throws JsonReader.Malformed {
    Json read = JsonReader.read("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é😀\"");
    assertThat(read).isEqualTo(new Json.Str("\"\\/\b\f\n\r\té😀é😀"));
    assertThat(JsonReader.read(read.write())).isEqualTo(read);
  }

  @Test
  void theWriterLeavesNothingButVisibleAscii() {
    assertThat(new Json.Str("a\u0000\u007f\u2028é😀").write())
        .isEqualTo("\"a\\u0000\\u007f\\u2028\\u00e9\\ud83d\\ude00\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "[1,]",
        "[1 2]",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{a:1}",
        "{\"a\":1,\"a\":2}",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "NaN",
        "Infinity",
        "nul",
        "true false",
        "\"a",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u12\"",
        "\"\\ud83d\"",
        "\"\\ude00\"",
        "\"\\ud83dx\"",
        "\"a\nb\"",
        "'a'",
        "// c\n1",
        "\ufeff1"
      })
  void whatIsNotJsonIsRefused(String text) {
    assertThatThrownBy(() -> JsonReader.read(text)).isInstanceOf(JsonReader.Malformed.class);
  }

  @Test
  void depthIsBounded() throws JsonReader.Malformed {
    assertThat(JsonReader.read("[".repeat(64) + "]".repeat(64))).isInstanceOf(Json.Arr.class);
    assertThatThrownBy(() -> JsonReader.read("[".repeat(100_000)))
        .isInstanceOf(JsonReader.Malformed.class)
        .hasMessageContaining("64 levels");
  }

  @Test
  void messagesNeverRepeatTheText() {
    assertThatThrownBy(() -> JsonReader.read("{\"leaseId\":\"topsecret\" x}"))
        .hasMessageNotContaining("topsecret");
  }

  @Test
  void wholeNumbersAreExactOrAbsent() throws JsonReader.Malformed {
    Json.Obj read =
        (Json.Obj)
            JsonReader.read(
                "{\"max\":9223372036854775807,\"more\":9223372036854775808,\"f\":1.0,\"e\":1e3,"
                    + "\"huge\":1e999999999}");
    assertThat(read.wholeNumber("max")).isEqualTo(Long.MAX_VALUE);
    assertThat(read.wholeNumber("more")).isNull();
    assertThat(read.wholeNumber("f")).isNull();
    assertThat(read.wholeNumber("e")).isNull();
    assertThat(read.wholeNumber("huge")).isNull();
    assertThat(read.wholeNumber("absent")).isNull();
  }

  @Test
  void anyStringSurvivesTheRoundTrip() throws JsonReader.Malformed {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      StringBuilder text = new StringBuilder();
      random
          .ints(20, 0, 0x110000)
          .filter(c -> c < 0xd800 || c > 0xdfff)
          .forEach(text::appendCodePoint);
      Json value = new Json.Obj(Map.of(text.toString(), new Json.Str(text.toString())));
      assertThat(JsonReader.read(value.write())).as("seed %d", seed).isEqualTo(value);
    }
  }
}
