/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {

  private static boolean isValid(Parsed<?> parsed) {
    return parsed.fold(value -> true, bad -> false);
  }

  static Stream<String> resourceNames() {
    String segment = "s".repeat(63);
    return Stream.of(
        "a",
        "settlement/eu/2026-11",
        "A.b_c~d-e",
        "...",
        ".a",
        "a..b",
        "a/.../b",
        "1/2/3/4/5/6/7/8",
        "s".repeat(64),
        String.join("/", segment, segment, segment, segment + "x"));
  }

  @ParameterizedTest
  @MethodSource("resourceNames")
  void resourceNamesOfTheGrammarAreTaken(String text) {
    ResourceName name = ResourceName.parse(text).orThrow();
    assertThat(name.value()).isEqualTo(text);
    assertThat(name).isEqualTo(new ResourceName(text)).hasToString(text);
    assertThat(ResourceName.ofKeySegment(name.keySegment()).orThrow()).isEqualTo(name);
    assertThat(name.keySegment()).doesNotContain("/");
  }

  static Stream<String> notResourceNames() {
    String segment = "s".repeat(63);
    return Stream.of(
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "./a",
        "a/..",
        "a/../b",
        "a/./b",
        "1/2/3/4/5/6/7/8/9",
        "s".repeat(65),
        String.join("/", segment, segment, segment, segment + "xx"),
        "a b",
        " a",
        "a ",
        "a\n",
        "\na",
        "a\u0000",
        "a%2Fb",
        "é",
        "ａ",
        "a\\b",
        "a{b}",
        "a*",
        "a:b",
        "a'b",
        "a\r\nb");
  }

  @ParameterizedTest
  @MethodSource("notResourceNames")
  void anythingElseIsNoResourceName(String text) {
    assertThat(isValid(ResourceName.parse(text))).isFalse();
    assertThatThrownBy(() -> new ResourceName(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void resourceNamesAreOrderedAndCaseSensitive() {
    assertThat(new ResourceName("a")).isNotEqualTo(new ResourceName("A"));
    assertThat(new ResourceName("a")).isLessThan(new ResourceName("a/b"));
    assertThat(new ResourceName("a/b").keySegment()).isEqualTo("a%2Fb");
  }

  static Stream<Function<String, Parsed<?>>> shortNames() {
    return Stream.of(AdapterName::parse, OperationName::parse, PolicyName::parse);
  }

  @ParameterizedTest
  @MethodSource("shortNames")
  void namesInPolicyFilesAreShortAndPlain(Function<String, Parsed<?>> parser) {
    for (String good : List.of("a", "0", "A.b_c-d", "a".repeat(64))) {
      assertThat(parser.apply(good).orThrow()).as(good).hasToString(good);
    }
    for (String bad :
        List.of("", "-a", ".a", "_a", "a b", "a/b", "é", "a\n", "a\u0000", "a~", "a".repeat(65))) {
      assertThat(isValid(parser.apply(bad))).as(Parsed.show(bad)).isFalse();
    }
  }

  @Test
  void valuesCannotBeBuiltAroundTheParsers() {
    assertThatThrownBy(() -> new AdapterName("a b")).hasMessageContaining("'a b'");
    assertThatThrownBy(() -> new OperationName("a b")).hasMessageContaining("'a b'");
    assertThatThrownBy(() -> new PolicyName("a b")).hasMessageContaining("'a b'");
    assertThatThrownBy(() -> new RequestId("a b")).hasMessageContaining("'a b'");
    assertThatThrownBy(() -> new IdempotencyKey("a b")).hasMessageContaining("'a b'");
    assertThatThrownBy(() -> new HolderId("a\n")).hasMessageContaining("'a\\u000a'");
  }

  @Test
  void requestIdsAreOneTo128PlainCharacters() {
    assertThat(RequestId.parse("aZ0._~-").orThrow()).hasToString("aZ0._~-");
    assertThat(isValid(RequestId.parse("a".repeat(128)))).isTrue();
    for (String bad : List.of("", "a".repeat(129), "a b", "a/b", "é", "a\n", "a\u0000", "\"a\"")) {
      assertThat(isValid(RequestId.parse(bad))).as(Parsed.show(bad)).isFalse();
    }
  }

  @Test
  void holdersAreFreeTextOfAtMost128Bytes() {
    assertThat(HolderId.parse("").orThrow()).isEqualTo(HolderId.UNNAMED);
    assertThat(HolderId.parse("Jörg's worker 7").orThrow()).hasToString("Jörg's worker 7");
    assertThat(isValid(HolderId.parse("a".repeat(128)))).isTrue();
    assertThat(isValid(HolderId.parse("é".repeat(64)))).isTrue();
    for (String bad :
        List.of(
            "a".repeat(129), "é".repeat(65), "a\nb", "a\u0000", "a\u007f", "a\u0085", "\ud800")) {
      assertThat(isValid(HolderId.parse(bad))).as(Parsed.show(bad)).isFalse();
    }
  }

  @Test
  void quotedAndBareIdempotencyKeysAreTheSameKey() {
    assertThat(IdempotencyKey.parse("\"k1\"").orThrow())
        .isEqualTo(IdempotencyKey.parse("k1").orThrow());
    assertThat(IdempotencyKey.parse("\"a\\\"b\\\\c\"").orThrow().value()).isEqualTo("a\"b\\c");
    assertThat(IdempotencyKey.parse("a\"b").orThrow().value()).isEqualTo("a\"b");
    assertThat(isValid(IdempotencyKey.parse("a".repeat(128)))).isTrue();
    assertThat(isValid(IdempotencyKey.parse('"' + "a".repeat(128) + '"'))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\"",
        "\"\"",
        "\"a",
        "\"a\"b",
        "\"a\";p=1",
        "\"a\\b\"",
        "a b",
        "\"a b\"",
        "a\t",
        " a",
        "é",
        "a\u007f",
        "a\u0000",
        "\"a\\\""
      })
  void malformedIdempotencyKeysAreRefused(String text) {
    assertThat(isValid(IdempotencyKey.parse(text))).isFalse();
  }

  @Test
  void tooLongIdempotencyKeysAreRefused() {
    assertThat(isValid(IdempotencyKey.parse("a".repeat(129)))).isFalse();
    assertThat(isValid(IdempotencyKey.parse('"' + "a".repeat(129) + '"'))).isFalse();
  }

  @Test
  void foreignInputIsMadeFitForMessages() {
    assertThat(Parsed.show("a b~ ")).isEqualTo("'a b~ '");
    assertThat(Parsed.show("'\n\u0000\u007fé")).isEqualTo("'\\u0027\\u000a\\u0000\\u007f\\u00e9'");
    assertThat(Parsed.show("x".repeat(80))).isEqualTo("'" + "x".repeat(80) + "'");
    assertThat(Parsed.show("x".repeat(81))).isEqualTo("'" + "x".repeat(80) + "'...");
    assertThat(Parsed.malformed("a\r", "b")).isEqualTo(new Parsed.Malformed<>("'a\\u000d'", "b"));
    assertThat(new Parsed.Malformed<>("'a'", "b").message()).isEqualTo("'a' was given, expected b");
    assertThatThrownBy(() -> Parsed.malformed("a", "b").orThrow())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'a' was given, expected b");
  }
}
