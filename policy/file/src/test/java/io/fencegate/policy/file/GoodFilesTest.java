/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import static io.fencegate.policy.file.PolicyFilesFixture.SECRET;
import static io.fencegate.policy.file.PolicyFilesFixture.example;
import static io.fencegate.policy.file.PolicyFilesFixture.loaded;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.model.AcquirePolicy;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Enforcement;
import io.fencegate.policy.model.FencingPolicy;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.IdempotencyPolicy;
import io.fencegate.policy.model.IdempotencyScope;
import io.fencegate.policy.model.LeasePolicy;
import io.fencegate.policy.model.Limits;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.ProxyPolicy;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.model.Route;
import io.fencegate.policy.model.TokenSource;
import io.fencegate.policy.model.UnresolvedPolicy;
import io.fencegate.policy.model.WaitingPolicy;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.OperationName;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.SigningKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GoodFilesTest {

  private static final String MINIMAL =
      """
      apiVersion: fencegate/v1
      adapters: { db: { type: memory } }
      resources:
        - name: p
          match: a/{x}
          adapter: db
      """;

  @Test
  void everyKeyOfTheExampleReachesTheModel() {
    ResourcePolicy settlement = loaded(example()).set().policies().get(1);
    assertThat(settlement)
        .isEqualTo(
            new ResourcePolicy(
                new PolicyName("settlement"),
                ResourcePattern.parse("settlement/{region}").orThrow(),
                0,
                new AdapterName("ledger-db"),
                Guarantee.STRICT,
                FencingPolicy.DEFAULT,
                new LeasePolicy(
                    true, Duration.ofSeconds(30), Duration.ofMinutes(5), Duration.ofHours(12)),
                new AcquirePolicy(
                    Duration.ofMinutes(2),
                    new WaitingPolicy(64, OptionalInt.of(8), Duration.ofSeconds(50))),
                new IdempotencyPolicy(true, Duration.ofHours(24), IdempotencyScope.CALLER),
                UnresolvedPolicy.BLOCK,
                new Limits(64, 256 * 1024),
                Map.of(
                    new OperationName("post-entry"),
                    new Operation(
                        new OperationName("post-entry"),
                        "INSERT INTO entries(region, account, amount) VALUES (:region, :account,"
                            + " :amount) RETURNING id",
                        Map.of("account", "text", "amount", "numeric"),
                        1),
                    new OperationName("close-period"),
                    new Operation(
                        new OperationName("close-period"),
                        "UPDATE periods SET closed = true WHERE region = :region AND period ="
                            + " :period",
                        Map.of("period", "date"),
                        0)),
                Optional.empty()));
    assertThat(settlement.operations().get(new OperationName("post-entry")).params().keySet())
        .containsExactly("account", "amount");
  }

  @Test
  void whatAFileLeavesOutHasTheModelsDefaults() {
    ResourcePolicy policy = loaded(MINIMAL).set().policies().get(0);
    assertThat(policy)
        .isEqualTo(
            new ResourcePolicy(
                new PolicyName("p"),
                ResourcePattern.parse("a/{x}").orThrow(),
                0,
                new AdapterName("db"),
                Guarantee.STRICT,
                FencingPolicy.DEFAULT,
                LeasePolicy.DEFAULT,
                AcquirePolicy.DEFAULT,
                IdempotencyPolicy.DEFAULT,
                UnresolvedPolicy.BLOCK,
                Limits.DEFAULT,
                Map.of(),
                Optional.empty()));
  }

  @Test
  void externalTokensAreBoundedAndNeedNoLease() {
    ResourcePolicy bare =
        loaded(MINIMAL + "    token: { source: external }\n").set().policies().get(0);
    assertThat(bare.fencing().source())
        .isEqualTo(new TokenSource.External(new FencingToken(1), 1_000, Optional.empty()));
    assertThat(bare.lease().required()).isFalse();
    String key = "0123456789abcdef0123456789abcdef";
    ResourcePolicy signed =
        loaded(
                MINIMAL
                    + "    lease: { required: false }\n"
                    + "    token: { source: external, start: 7, maxJump: 1000000000000,"
                    + " hmacKey: "
                    + key
                    + " }\n")
            .set()
            .policies()
            .get(0);
    assertThat(signed.fencing().source())
        .isEqualTo(
            new TokenSource.External(
                new FencingToken(7),
                1_000_000_000_000L,
                Optional.of(SigningKey.parse(key).orThrow())));
    assertThat(signed.toString()).doesNotContain(key);
  }

  @Test
  void anElectionsPrefixMayHaveTheVariablesOfTheMatch() {
    ResourcePolicy policy =
        loaded(MINIMAL + "    token: { source: etcd-election, prefix: \"/e/{x}/\" }\n")
            .set()
            .policies()
            .get(0);
    TokenSource.Election election = (TokenSource.Election) policy.fencing().source();
    assertThat(election.prefixFor(Map.of("x", "eu"))).isEqualTo("/e/eu/");
    assertThat(policy.lease().required()).isFalse();
  }

  @Test
  void otherValuesThanTheDefaultsReachTheModel() {
    ResourcePolicy policy =
        loaded(
                MINIMAL
                    + """
                          priority: -1000
                          guarantee: best-effort
                          enforcement: shadow
                          lease: { required: false, ttl: 2500ms, maxTtl: 24h, maxHold: 7d }
                          dedup: { retention: 1h }
                          waiting: { maxWaiters: 1000, maxWaitersPerPrincipal: 1000, maxWait: 60s }
                          idempotency: { retention: 30d, scope: resource }
                          limits: { maxInFlight: 10000, maxBody: 64MiB }
                      """)
            .set()
            .policies()
            .get(0);
    assertThat(policy.priority()).isEqualTo(-1000);
    assertThat(policy.guarantee()).isEqualTo(Guarantee.BEST_EFFORT);
    assertThat(policy.fencing())
        .isEqualTo(new FencingPolicy(Enforcement.SHADOW, new TokenSource.Locks()));
    assertThat(policy.lease())
        .isEqualTo(
            new LeasePolicy(
                false, Duration.ofMillis(2500), Duration.ofHours(24), Duration.ofDays(7)));
    assertThat(policy.acquire())
        .isEqualTo(
            new AcquirePolicy(
                Duration.ofHours(1),
                new WaitingPolicy(1_000, OptionalInt.of(1_000), Duration.ofSeconds(60))));
    assertThat(policy.idempotency())
        .isEqualTo(new IdempotencyPolicy(false, Duration.ofDays(30), IdempotencyScope.RESOURCE));
    assertThat(policy.limits()).isEqualTo(new Limits(10_000, 64 * 1024 * 1024));
  }

  @Test
  void adaptersGetTheirSettingsTypedAndResolved() {
    Map<AdapterName, AdapterConfig> adapters = loaded(example()).set().adapters();
    assertThat(adapters).containsOnlyKeys(new AdapterName("ledger-db"), new AdapterName("scratch"));
    AdapterConfig db = adapters.get(new AdapterName("ledger-db"));
    assertThat(db.type()).isEqualTo("postgres");
    assertThat(db.settings()).isEqualTo(Map.of("url", SECRET, "pool", Map.of("size", 16)));
    assertThat(db.toString()).doesNotContain("hunter2");
  }

  @Test
  void settingsKeepTheirTypes() {
    AdapterConfig adapter =
        loaded(
                """
                apiVersion: fencegate/v1
                adapters:
                  own:
                    type: some-other-type
                    big: 5000000000
                    half: 0.5
                    flag: true
                    quoted: "true"
                    host: 127.0.0.1:5432
                    list: [1, a, {b: c}]
                """)
            .set()
            .adapters()
            .get(new AdapterName("own"));
    assertThat(adapter.settings())
        .isEqualTo(
            Map.of(
                "big",
                5_000_000_000L,
                "half",
                0.5,
                "flag",
                true,
                "quoted",
                "true",
                "host",
                "127.0.0.1:5432",
                "list",
                List.of(1, "a", Map.of("b", "c"))));
  }

  @Test
  void placeholdersAreResolvedOnceAndCanBeEscaped() {
    AdapterConfig adapter =
        loaded(
                """
                apiVersion: fencegate/v1
                adapters:
                  own:
                    type: memory
                    nested: ${env:NESTED}
                    both: a-${file:/run/key}-${env:LEDGER_URL}-z
                    escaped: $${env:LEDGER_URL} $$ $1 $${
                """)
            .set()
            .adapters()
            .get(new AdapterName("own"));
    assertThat(adapter.settings())
        .isEqualTo(
            Map.of(
                "nested",
                "${env:LEDGER_URL}",
                "both",
                "a-file-hunter2-secret-" + SECRET + "-z",
                "escaped",
                "${env:LEDGER_URL} $$ $1 ${"));
  }

  @Test
  void severalFilesMakeOneSet() {
    LoadedPolicies policies =
        loaded(
            """
            apiVersion: fencegate/v1
            resources:
              - { name: one, match: one, adapter: db }
            """,
            MINIMAL,
            """
            apiVersion: fencegate/v1
            resources:
              - { name: two, match: two, adapter: db }
              - name: three
                match: three
                adapter: db
                operations: { put: { sql: x, params: { a: tekst } } }
            """);
    assertThat(policies.set().policies())
        .extracting(policy -> policy.name().value())
        .containsExactly("one", "p", "two", "three");
    assertThat(policies.policiesOf(new AdapterName("db")))
        .extracting(PlacedPolicy::pointer)
        .containsExactly("/resources/0", "/resources/1", "/resources/2", "/resources/3");
    assertThat(
            policies
                .locate(
                    new PolicyProblem(
                        "/resources/3/operations/put/params/a", "'tekst'", "a known type"))
                .text())
        .isEqualTo(
            "c.yaml:7:47: /resources/1/operations/put/params/a: 'tekst' was given, expected a known"
                + " type");
    assertThat(policies.locate(new PolicyProblem("/adapters/db/url", "nothing", "a URL")).text())
        .isEqualTo("b.yaml:2:13: /adapters/db/url: nothing was given, expected a URL");
    assertThat(policies.locate(new PolicyProblem("/nonsense/x", "a", "b")).text())
        .isEqualTo("a.yaml:1:1: /nonsense/x: a was given, expected b");
  }

  @Test
  void aHigherPriorityMayOverlap() {
    LoadedPolicies policies = loaded(example());
    assertThat(
            policies.set().match(new ResourceName("settlement/eu")).orElseThrow().policy().name())
        .isEqualTo(new PolicyName("settlement-eu"));
  }

  @Test
  void noFilesDenyEverything() {
    assertThat(loaded().set().policies()).isEmpty();
    assertThat(loaded().locate(new PolicyProblem("/adapters/a", "x", "y")).line()).isEqualTo(1);
  }

  @Test
  void byteOrderMarkAndWindowsLineBreaksAreHarmless() {
    assertThat(loaded("\uFEFF" + MINIMAL.replace("\n", "\r\n")).set().policies()).hasSize(1);
  }

  @Test
  void theSchemaIsShippedForEditors() {
    assertThat(PolicyFiles.schema()).contains("http://json-schema.org/draft-07/schema#");
  }

  @Test
  void aShortRetentionCutsTheStandardWaitSoThatAGrantIsNotForgottenDuringIt() {
    AcquirePolicy acquire =
        loaded(MINIMAL + "    dedup: { retention: 30s }\n").set().policies().get(0).acquire();
    assertThat(acquire.waiting().maxWait()).isEqualTo(Duration.ofSeconds(15));
  }

  @Test
  void aRouteReachesTheModel() {
    ResourcePolicy policy =
        loaded(
                MINIMAL
                    + """
                          http: { route: "/a/{x}/**", methods: [PUT, POST], reads: allow }
                          onUnresolved: { action: wait, settleAfter: 30s }
                      """)
            .set()
            .policies()
            .get(0);
    assertThat(policy.http())
        .contains(new ProxyPolicy(Route.parse("/a/{x}/**").orThrow(), Set.of("POST", "PUT"), true));
    assertThat(policy.onUnresolved())
        .isEqualTo(new UnresolvedPolicy(Optional.of(Duration.ofSeconds(30))));
  }

  @Test
  void whereThePolicySaysNothingOnlyIdentifiedCallersAreBoundEach() {
    WaitingPolicy waiting = loaded(MINIMAL).set().policies().get(0).acquire().waiting();
    assertThat(waiting.maxWaitersOf(Principal.ANONYMOUS)).isEqualTo(64);
    assertThat(waiting.maxWaitersOf(new Principal("key:batch"))).isEqualTo(8);
  }
}
