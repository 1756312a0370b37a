/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.RequestPath;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTest {

  private static Route route(String text) {
    return Route.parse(text).orThrow();
  }

  private static Optional<Map<String, String>> match(String route, String path) {
    return route(route).match(RequestPath.parse(path).orThrow());
  }

  @Test
  void variablesTakeOneSegmentAndTheRestAnyNumber() {
    assertThat(match("/ledger/{tenant}/**", "/ledger/a/b/c")).contains(Map.of("tenant", "a"));
    assertThat(match("/ledger/{tenant}/**", "/ledger/a")).contains(Map.of("tenant", "a"));
    assertThat(match("/ledger/{tenant}/**", "/ledger/a/")).contains(Map.of("tenant", "a"));
    assertThat(match("/ledger/{tenant}/**", "/ledger")).isEmpty();
    assertThat(match("/ledger/{tenant}", "/ledger/a/b")).isEmpty();
    assertThat(match("/ledger/{tenant}", "/ledger/a/")).contains(Map.of("tenant", "a"));
    assertThat(match("/ledger/{tenant}", "/Ledger/a")).isEmpty();
    assertThat(match("/**", "/")).contains(Map.of());
    assertThat(route("/a/{b}")).isEqualTo(route("/a/{b}")).hasSameHashCodeAs("/a/{b}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "a",
        "//",
        "/a/",
        "/a//b",
        "/v1",
        "/v1/a",
        "/v1/**",
        "/**/a",
        "/a/*",
        "/a/{b}c",
        "/{a}/{a}",
        "/{1}",
        "/.",
        "/a/../b",
        "/a b",
        "/a;b",
        "/a%20b"
      })
  void whatIsNoRouteIsRefused(String text) {
    assertThat(Route.parse(text)).isInstanceOf(Parsed.Malformed.class);
  }

  @ParameterizedTest
  @CsvSource({
    "/a/{x}, /a/{y}, true",
    "/a/{x}, /a/b, true",
    "/a/b, /a/c, false",
    "/a/{x}, /a/{x}/b, false",
    "/a/**, /a/{x}/b, true",
    "/a/**, /a, true",
    "/a/**, /b/**, false",
    "/a/b/**, /a, false",
    "/{x}/**, /a/b/c, true",
    "/**, /a, true"
  })
  void overlapsWhereOnePathFitsBoth(String one, String other, boolean overlaps) {
    assertThat(route(one).overlaps(route(other))).isEqualTo(overlaps);
    assertThat(route(other).overlaps(route(one))).isEqualTo(overlaps);
  }
}
