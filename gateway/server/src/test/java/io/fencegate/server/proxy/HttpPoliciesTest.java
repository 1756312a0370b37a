/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.file.PolicyMessage;
import io.fencegate.policy.file.SourceFile;
import io.fencegate.policy.file.ValueResolver;
import io.fencegate.server.policy.AdapterFactories;
import io.fencegate.server.policy.PolicyChecks;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What loading refuses because it could not be kept. */
class HttpPoliciesTest {

  private static final String POLICY =
      """
      apiVersion: fencegate/v1
      adapters:
        api: { type: http, url: "http://127.0.0.1:9000", fencing: serialized }
      resources:
        - name: ledger
          match: ledger/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/ledger/{tenant}/**" }
      """;

  private static final ValueResolver NOTHING =
      new ValueResolver() {
        @Override
        public Optional<String> environment(String name) {
          return Optional.empty();
        }

        @Override
        public Optional<String> file(String path) {
          return Optional.empty();
        }
      };

  private static List<String> messages(String text) {
    return new PolicyChecks(AdapterFactories.installed())
        .load(List.of(new SourceFile("p.yaml", text)), NOTHING)
        .fold(
            loaded -> List.<String>of(),
            broken -> broken.stream().map(PolicyMessage::text).toList());
  }

  private static String only(String text) {
    List<String> all = messages(text);
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  @Test
  void whatTheGatewayOrdersIsSerialized() {
    assertThat(messages(POLICY)).isEmpty();
  }

  @Test
  void nobodyPromisesStrictForAnHttpService() {
    assertThat(only(POLICY.replace("guarantee: serialized", "guarantee: strict")))
        .contains("at most 'serialized'");
    assertThat(
            only(
                POLICY
                    .replace("fencing: serialized", "fencing: downstream")
                    .replace("guarantee: serialized", "guarantee: strict")))
        .contains("at most 'serialized'")
        .contains("said to check Fencing-Token itself");
  }

  private static final String VERSIONED =
      POLICY
          .replace("fencing: serialized", "fencing: conditional, etag: versioned")
          .replace("guarantee: serialized", "guarantee: strict")
          .replace("\"/ledger/{tenant}/**\"", "\"/ledger/{tenant}\", methods: [PUT, PATCH]");

  @Test
  void versionsAreStrictWhereEveryResourceIsOneUriThatIsReplaced() {
    assertThat(messages(VERSIONED)).isEmpty();
    assertThat(messages(VERSIONED.replace("/{tenant}\"", "/{tenant}/entries\""))).isEmpty();
  }

  @Test
  void whereVersionsCouldNotKeepStrictTheyAreRefused() {
    assertThat(only(VERSIONED.replace(", etag: versioned", "")))
        .startsWith("p.yaml:3:")
        .contains("'conditional' without 'etag'")
        .contains("never used again");
    assertThat(only(VERSIONED.replace("/{tenant}\"", "/{tenant}/**\"")))
        .startsWith("p.yaml:9:20:")
        .contains("one URI per resource");
    assertThat(only(VERSIONED.replace("/{tenant}\"", "/{tenant}/{entry}\"")))
        .startsWith("p.yaml:9:20:")
        .contains("[tenant]");
    assertThat(only(VERSIONED.replace("[PUT, PATCH]", "[PUT, DELETE]")))
        .startsWith("p.yaml:9:")
        .contains("[DELETE, PUT]")
        .contains("some of [PATCH, PUT]");
    assertThat(only(VERSIONED.replace(", methods: [PUT, PATCH]", "")))
        .startsWith("p.yaml:9:")
        .contains("some of [PATCH, PUT]");
  }

  @Test
  void keysAreKeptForADayAtMost() {
    assertThat(messages(POLICY + "    idempotency: { required: true, retention: 24h }\n"))
        .isEmpty();
    assertThat(only(POLICY + "    idempotency: { retention: 25h }\n"))
        .startsWith("p.yaml:10:")
        .contains("25h")
        .contains("at most 24h");
  }

  @Test
  void routesAndAdaptersBelongTogether() {
    assertThat(only(POLICY.replace("    http: { route: \"/ledger/{tenant}/**\" }\n", "")))
        .contains("an 'http' section");
    assertThat(
            messages(
                POLICY.replace(
                    "type: http, url: \"http://127.0.0.1:9000\", fencing: serialized",
                    "type: memory")))
        .anyMatch(it -> it.startsWith("p.yaml:9:") && it.contains("no such section"));
  }
}
