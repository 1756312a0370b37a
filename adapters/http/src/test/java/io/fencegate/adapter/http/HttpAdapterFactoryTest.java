/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.name.AdapterName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpAdapterFactoryTest {

  private static final String URL = "http://127.0.0.1:9000";

  private final HttpAdapterFactory factory = new HttpAdapterFactory();

  private static AdapterConfig config(Map<String, Object> settings) {
    return new AdapterConfig(new AdapterName("api"), "http", settings);
  }

  private List<String> problems(Map<String, Object> settings) {
    return factory.check(config(settings), List.of()).stream().map(PolicyProblem::pointer).toList();
  }

  @Test
  void theServiceLoaderFindsIt() {
    assertThat(ServiceLoader.load(AdapterFactory.class))
        .extracting(AdapterFactory::type)
        .contains("http");
  }

  @Test
  void whatVersionsShutOutIsStrictWhoeverSendsIt() {
    AdapterConfig config =
        config(Map.of("url", URL, "fencing", "conditional", "etag", "versioned"));
    assertThat(factory.offer(config).guarantee()).isEqualTo(Guarantee.STRICT);
    assertThat(factory.offer(config).judge()).isEqualTo(Offer.Judge.DOWNSTREAM);
  }

  @Test
  void theGatewayOrdersTheWritesInTheOtherModes() {
    for (String fencing : List.of("serialized", "downstream")) {
      AdapterConfig config = config(Map.of("url", URL, "fencing", fencing));
      assertThat(factory.offer(config).guarantee()).isEqualTo(Guarantee.SERIALIZED);
      assertThat(factory.offer(config).judge()).isEqualTo(Offer.Judge.GATEWAY);
    }
  }

  @Test
  void everySettingIsCheckedAtItsPlace() {
    assertThat(problems(Map.of("url", URL))).isEmpty();
    assertThat(problems(Map.of())).containsExactly("/adapters/api");
    assertThat(problems(Map.of("url", URL, "fencing", "conditional")))
        .containsExactly("/adapters/api/fencing");
    assertThat(problems(Map.of("url", URL, "fencing", "conditional", "etag", "weak")))
        .containsExactly("/adapters/api/etag");
    assertThat(problems(Map.of("url", URL, "fencing", "conditional", "etag", "versioned")))
        .isEmpty();
    assertThat(problems(Map.of("url", URL, "fencing", "strict")))
        .containsExactly("/adapters/api/fencing");
    assertThat(problems(Map.of("url", URL, "timeout", "2m", "connectTimeout", "1")))
        .containsExactly("/adapters/api/timeout", "/adapters/api/connectTimeout");
    assertThat(problems(Map.of("url", URL, "http2", true))).isEmpty();
    assertThat(problems(Map.of("url", URL, "http2", "h2c"))).containsExactly("/adapters/api/http2");
    assertThat(problems(Map.of("url", URL, "pool", Map.of("size", 0, "queue", -1, "x", 1))))
        .containsExactly(
            "/adapters/api/pool/x", "/adapters/api/pool/size", "/adapters/api/pool/queue");
    assertThat(problems(Map.of("url", URL, "etag", "versioned")))
        .containsExactly("/adapters/api/etag");
  }

  @Test
  void aProbeIsAPathWithTheNameInIt() {
    assertThat(problems(Map.of("url", URL, "probe", Map.of("path", "/a/{id}/b")))).isEmpty();
    assertThat(problems(Map.of("url", URL, "probe", "/a/{id}")))
        .containsExactly("/adapters/api/probe");
    assertThat(problems(Map.of("url", URL, "probe", Map.of())))
        .containsExactly("/adapters/api/probe");
    for (String path : List.of("/a", "a/{id}", "/{id}/{id}", "/{id}?x=1")) {
      assertThat(problems(Map.of("url", URL, "probe", Map.of("path", path))))
          .containsExactly("/adapters/api/probe/path");
    }
    assertThat(
            problems(
                Map.of(
                    "url",
                    URL,
                    "fencing",
                    "conditional",
                    "etag",
                    "versioned",
                    "probe",
                    Map.of("path", "/{id}"))))
        .containsExactly("/adapters/api/probe");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "127.0.0.1:9000",
        "ftp://h",
        "http://u:p@h",
        "http://h/base",
        "http://h?x",
        "http://h#x",
        "http://h:0",
        "http://h:65536",
        "http://"
      })
  void anAddressThatSaysMoreOrLessThanAnOriginIsRefused(String url) {
    assertThat(problems(Map.of("url", url))).containsExactly("/adapters/api/url");
  }

  @Test
  void settingsHaveDefaults() {
    HttpSettings settings = HttpSettings.of(config(Map.of("url", "https://[::1]")));
    assertThat(settings.host()).isEqualTo("::1");
    assertThat(settings.port()).isEqualTo(443);
    assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.fencing()).isEqualTo(FencingMode.SERIALIZED);
  }

  @Test
  void onlySomeStatusesSettle() {
    assertThat(IntStream.range(100, 600).filter(it -> !Settlement.settles(it)))
        .containsExactlyElementsOf(
            IntStream.concat(
                    IntStream.concat(IntStream.range(100, 200), IntStream.of(202, 408, 425, 429)),
                    IntStream.range(500, 600))
                .boxed()
                .toList());
  }

  @Test
  void aServiceHasOneNameWhateverAddressItIsReachedBy() {
    HttpAdapterFactory factory = new HttpAdapterFactory();
    AdapterConfig here = config(Map.of("url", URL, "destination", "ledger"));
    AdapterConfig there = config(Map.of("url", "http://127.0.0.2:9", "destination", "ledger"));
    assertThat(factory.destination(here)).isEqualTo(factory.destination(there));
    assertThat(factory.destination(config(Map.of("url", URL)))).contains(URL);
    assertThat(problems(Map.of("url", URL, "destination", "a b"))).isNotEmpty();
  }
}
