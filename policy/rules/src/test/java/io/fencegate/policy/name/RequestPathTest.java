/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestPathTest {

  @ParameterizedTest
  @CsvSource({
    "/, /",
    "/a, /a",
    "/a/, /a/",
    "/a/b.c~d_e-f, /a/b.c~d_e-f",
    "/%61%7E%2D, /a~-",
    "/a%20b, /a%20b",
    "/a%c3%a9, /a%C3%A9",
    "/a:b@c!$&'()*+=, /a:b@c!$&'()*+=",
    "/%40, /%40",
    "/..., /..."
  })
  void hasOneSpelling(String given, String normal) {
    RequestPath path = RequestPath.parse(given).orThrow();
    assertThat(path).hasToString(normal);
    assertThat(RequestPath.parse(normal).orThrow()).isEqualTo(path);
  }

  @Test
  void aSlashAtTheEndIsKeptButIsNoSegment() {
    assertThat(RequestPath.parse("/a/b/").orThrow().segments()).isEqualTo(List.of("a", "b"));
    assertThat(RequestPath.parse("/").orThrow().segments()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "*",
        "//",
        "//a",
        "/a//b",
        "/a//",
        "/.",
        "/..",
        "/a/./b",
        "/a/../b",
        "/%2e",
        "/%2E%2e/a",
        "/.%2e/a",
        "/a%2fb",
        "/a%2Fb",
        "/a%5cb",
        "/a\\b",
        "/a;b",
        "/a%3Bb",
        "/..;/b",
        "/a%25b",
        "/a%252fb",
        "/a%00",
        "/a%1f",
        "/a%7f",
        "/a%",
        "/a%2",
        "/a%zz",
        "/a%+1",
        "/a b",
        "/a\"b",
        "/a<b",
        "/a{b}",
        "/a|b",
        "/a^b",
        "/a`b",
        "/a#b",
        "/a?b",
        "/é",
        "/a\u0000",
        "/a\u007f",
        "http://a/b"
      })
  void whatCouldBeReadInTwoWaysIsRefused(String given) {
    assertThat(RequestPath.parse(given)).isInstanceOf(Parsed.Malformed.class);
  }
}
