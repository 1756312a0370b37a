/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PassingHeadersTest {

  private static MultiMap headers(String... pairs) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    for (int i = 0; i < pairs.length; i += 2) {
      headers.add(pairs[i], pairs[i + 1]);
    }
    return headers;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Connection",
        "Keep-Alive",
        "Proxy-Connection",
        "Proxy-Authenticate",
        "Proxy-Authorization",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "Fencing-Token",
        "FENCING-LEASE",
        "Fencing_Token",
        "fencing-anything",
        "Fencegate-Hop",
        "FENCEGATE_HOP"
      })
  void staysOnBothWays(String name) {
    assertThat(PassingHeaders.there(headers(name, "x")).names()).isEmpty();
    assertThat(PassingHeaders.back(headers(name, "x")).names()).isEmpty();
  }

  @Test
  void whatConnectionNamesStaysWhereverItStands() {
    MultiMap given =
        headers(
            "X-A", "1", "Connection", "close, x-a", "Connection", "X-B", "X-B", "2", "X-C", "3");
    assertThat(PassingHeaders.there(given).names()).containsExactly("X-C");
    assertThat(PassingHeaders.back(given).names()).containsExactly("X-C");
  }

  @Test
  void framingAndExpectationsAreMadeAnewOnTheWayThere() {
    MultiMap given = headers("Host", "h", "Expect", "100-continue", "Content-Length", "5");
    assertThat(PassingHeaders.there(given).names()).isEmpty();
    assertThat(PassingHeaders.back(headers("Content-Length", "5")).names())
        .containsExactly("Content-Length");
  }

  @Test
  void repeatedHeadersKeepEveryValueInItsOrder() {
    assertThat(
            PassingHeaders.back(headers("Set-Cookie", "a", "Set-Cookie", "b")).getAll("set-cookie"))
        .containsExactly("a", "b");
  }
}
