/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.ledger.postgres.LedgerSettings;
import io.fencegate.policy.file.SourceFile;
import io.fencegate.policy.file.ValueResolver;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigLoaderTest {

  private static final Path BASE = Path.of("/srv/gate");

  private static final ValueResolver VALUES =
      new ValueResolver() {
        @Override
        public Optional<String> environment(String name) {
          return name.equals("PORT") ? Optional.of("9090") : Optional.empty();
        }

        @Override
        public Optional<String> file(String path) {
          return path.equals("/run/dir") ? Optional.of("/var/gate") : Optional.empty();
        }
      };

  private static ConfigLoad load(
      String text, Map<String, String> environment, Map<ConfigKey, String> flags) {
    return ConfigLoader.load(
        new ConfigLoader.Sources(
            new SourceFile("gate.yaml", text), BASE, VALUES, environment, flags));
  }

  private static ServerConfig good(String text) {
    return good(text, Map.of(), Map.of());
  }

  private static ServerConfig good(
      String text, Map<String, String> environment, Map<ConfigKey, String> flags) {
    return load(text, environment, flags)
        .fold(
            ConfigLoad.Loaded::config,
            messages -> {
              throw new AssertionError(messages);
            });
  }

  private static List<String> bad(String text) {
    return bad(text, Map.of(), Map.of());
  }

  private static List<String> bad(
      String text, Map<String, String> environment, Map<ConfigKey, String> flags) {
    return load(text, environment, flags)
        .fold(
            loaded -> {
              throw new AssertionError(loaded);
            },
            messages -> messages);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "# nothing\n", "worker: {}\n", "audit: {}\nworker: {}\n"})
  void whatTheFileLeavesOutIsTheDefault(String text) {
    assertThat(good(text))
        .isEqualTo(
            new ServerConfig(
                new Listener("127.0.0.1", 8080),
                new Listener("127.0.0.1", 8081),
                Path.of("/srv/gate/data"),
                new CoordinatorConfig.Embedded(),
                Path.of("/srv/gate/policies"),
                new AuditConfig(Path.of("/srv/gate/audit.jsonl"), 100L * 1024 * 1024, 10)));
  }

  @Test
  void everyKeyIsTaken() {
    assertThat(
            good(
                """
                worker: { host: 0.0.0.0, port: 1 }
                operator: { host: "::1", port: 65535 }
                coordinator: { type: embedded, dataDir: /var/data }
                epochs: { type: coordinator }
                policies: ../shared
                audit: { file: log/a.jsonl, maxSize: 1MiB, keep: 3 }
                """))
        .isEqualTo(
            new ServerConfig(
                new Listener("0.0.0.0", 1),
                new Listener("::1", 65_535),
                Path.of("/var/data"),
                new CoordinatorConfig.Embedded(),
                Path.of("/srv/shared"),
                new AuditConfig(Path.of("/srv/gate/log/a.jsonl"), 1024L * 1024, 3)));
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.7:8080, 10.0.0.7, 8080",
    "gate-1.internal:1, gate-1.internal, 1",
    "'[fd00::7]:65535', fd00::7, 65535"
  })
  void othersReachTheWorkerPortWhereItIsAdvertised(String address, String host, int port) {
    ServerConfig config = good("worker: { host: 0.0.0.0, advertise: '" + address + "' }\n");
    assertThat(config.advertise()).contains(new Listener(host, port));
    assertThat(config.address(7)).isEqualTo(address);
    assertThat(config.worker()).isEqualTo(new Listener("0.0.0.0", 8080));
  }

  @Test
  void epochsAreKeptInAPostgresqlWhoseAddressNobodySees() {
    String url = "postgresql://gate:sesame@db:5433/epochs";
    ServerConfig config =
        load(
                "epochs: { type: postgres, replaces: coordinator }\n",
                Map.of("FENCEGATE_EPOCHS_URL", url, "FENCEGATE_EPOCHS_INSTALL", "false"),
                Map.of())
            .fold(
                loaded -> loaded.config(),
                messages -> {
                  throw new AssertionError(messages);
                });
    assertThat(config.epochs())
        .isEqualTo(
            new EpochsConfig(
                Optional.of(new LedgerSettings(url, false)), Optional.of("coordinator")));
    assertThat(config.toString()).doesNotContain("sesame");
    assertThat(ConfigKey.EPOCHS_URL.isSecret()).isTrue();
  }

  @Test
  void othersReachTheWorkerPortWhereItListensIfNothingElseIsSaid() {
    assertThat(good("worker: { host: a, port: 0 }\n").address(7)).isEqualTo("a:7");
    assertThat(good("worker: { host: '::1' }\n").address(7)).isEqualTo("[::1]:7");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "a:0", "a:65536", ":80", "a b:80", "http://a:80", "a:80/", "fd00::7:80"})
  void anAddressThatCannotBeReachedIsRefused(String address) {
    assertThat(bad("worker: { advertise: '" + address + "' }\n"))
        .singleElement()
        .asString()
        .contains("/worker/advertise", "expected host:port");
  }

  @Test
  void everyKeyOfEtcdIsTaken() {
    ServerConfig config =
        good(
            """
            coordinator:
              type: etcd
              endpoints: [https://a:1, "https://b:${env:PORT}"]
              prefix: team/gate
              user: gate
              password: ${file:/run/dir}
              tls: { ca: ca.pem, cert: cert.pem, key: /etc/key.pem }
              quota: 8GiB
            """);

    assertThat(config.dataDir()).isEqualTo(Path.of("/srv/gate/data"));
    assertThat(config.coordinator().keyPrefix()).isEqualTo("team/gate");
    EtcdSettings.Identity identity =
        new EtcdSettings.Identity(Path.of("/srv/gate/cert.pem"), Path.of("/etc/key.pem"));
    assertThat(config.coordinator())
        .isEqualTo(
            new CoordinatorConfig.Etcd(
                EtcdSettings.of(List.of("https://a:1", "https://b:9090"))
                    .withLogin("gate", "/var/gate")
                    .withTls(
                        new EtcdSettings.Tls(
                            Optional.of(Path.of("/srv/gate/ca.pem")), Optional.of(identity)))
                    .withQuotaBytes(8L << 30),
                "team/gate"));
    assertThat(config.toString()).doesNotContain("/var/gate");
  }

  @Test
  void endpointsMayBeGivenWithCommas() {
    Map<String, String> environment =
        Map.of(
            "FENCEGATE_COORDINATOR_TYPE", "etcd",
            "FENCEGATE_COORDINATOR_ENDPOINTS", "http://a:1, http://b:2");

    assertThat(good("", environment, Map.of()).coordinator())
        .isEqualTo(
            new CoordinatorConfig.Etcd(
                EtcdSettings.of(List.of("http://a:1", "http://b:2"))
                    .withQuotaBytes(EtcdSettings.DEFAULT_QUOTA_BYTES),
                "fencegate"));
  }

  @Test
  void aPasswordIsNeverShown() {
    String text = "coordinator: { type: etcd, endpoints: 'http://h:1', password: s3cret }";
    assertThat(bad(text)).hasSize(1).noneMatch(it -> it.contains("s3cret"));
    assertThat(bad("", Map.of("FENCEGATE_COORDINATOR_PASSWORD", "s3cret"), Map.of()))
        .hasSize(1)
        .noneMatch(it -> it.contains("s3cret"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://gate:s3cret@h:1",
        "http://h:1,https://gate:s3cret@h:2",
        "http://gate:s3cret@h h:1",
        "gate:s3cret@h:1",
        "http://gate:s3cret"
      })
  void aPasswordWithinAnEndpointIsNeverShown(String endpoint) {
    String variable = "FENCEGATE_COORDINATOR_ENDPOINTS";
    String text = "coordinator: { type: etcd, endpoints: '" + endpoint + "' }";
    String list = "coordinator: { type: etcd, endpoints: ['" + endpoint + "'] }";
    String embedded = "coordinator: { endpoints: '" + endpoint + "' }";
    String etcd = "coordinator: { type: etcd }";
    List<List<String>> all =
        List.of(
            bad(text),
            bad(list),
            bad(embedded),
            bad(etcd, Map.of(variable, endpoint), Map.of()),
            bad(etcd, Map.of(), Map.of(ConfigKey.COORDINATOR_ENDPOINTS, endpoint)));
    assertThat(all)
        .allSatisfy(
            problems ->
                assertThat(problems)
                    .hasSize(1)
                    .allMatch(it -> it.contains("endpoints") || it.contains("ENDPOINTS"))
                    .noneMatch(it -> it.contains("s3cret")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "worker: {port: 65536} | gate.yaml:1:16: /worker/port: | an integer from 0 to 65535",
        "worker: {port: -1} | gate.yaml:1:16: /worker/port: | an integer from 0 to 65535",
        "worker: {port: '80'} | gate.yaml:1:16: /worker/port: '80' | an integer",
        "worker: {port: 80.5} | gate.yaml:1:16: | an integer",
        "worker: {port: true} | gate.yaml:1:16: | an integer",
        "worker: {port: [80]} | /worker/port: a list | a value such as 8080",
        "worker: {port: {a: 1}} | /worker/port: a mapping | a value such as 8080",
        "worker: {port: } | /worker/port: nothing | a value such as 8080",
        "worker: {host: 80} | /worker/host: the number 80 | a host name",
        "worker: {host: 'a b'} | /worker/host: 'a b' | a host name",
        "worker: {prot: 80} | gate.yaml:1:10: /worker/prot: | (did you mean 'port'?)",
        "worker: 8080 | gate.yaml:1:9: /worker: the number 8080 | a mapping with keys out of",
        "worker: | /worker: nothing | a mapping with keys out of [host, port, advertise]",
        "[1] | gate.yaml:1:1: a list | a mapping of settings",
        "wroker: {port: 80} | gate.yaml:1:1: /wroker: | (did you mean 'worker'?)",
        "worker: {tls: {cert: a}} | gate.yaml:1:10: /worker/tls: | not in this version",
        "auth: {jwt: {}} | gate.yaml:1:1: /auth: | not in this version",
        "coordinator: {type: zk} | /coordinator/type: 'zk' | one of [embedded, etcd]",
        "coordinator: {type: etcd} | /coordinator/type: 'etcd' | coordinator.endpoints beside",
        "coordinator: {user: a} | /coordinator/user: 'a' | no such key with coordinator.type",
        "coordinator: {type: etcd, endpoints: [a:1]} | /coordinator/endpoints: a list | http://",
        "coordinator: {type: etcd, endpoints: ['http://h']} | endpoints: a list | http://host:port",
        "coordinator: {type: etcd, endpoints: ['http://u:p@h:1']} | a list | http://host:port",
        "coordinator: {type: etcd, endpoints: } | endpoints: nothing | http://host:port",
        "coordinator: {type: etcd, endpoints: []} | endpoints: a list | http://host:port",
        "coordinator: {type: etcd, endpoints: [1]} | endpoints: a list | http://host:port",
        "coordinator: {type: etcd, endpoints: 'http://h:1,https://h:2'} | endpoints: | all http or",
        "coordinator: {type: etcd, endpoints: 'http://h:1', tls: {ca: a}} | endpoints: | no use",
        "coordinator: {type: etcd, endpoints: 'https://h:1', tls: {key: a}} | /key: | tls.cert",
        "coordinator: {type: etcd, endpoints: 'http://h:1', user: a} | user: 'a' | password beside",
        "coordinator: {type: etcd, endpoints: 'http://h:1', password: a} | a secret | user beside",
        "coordinator: {type: etcd, endpoints: 'http://h:1', prefix: a/} | prefix: 'a/' | 1 to 64",
        "coordinator: {type: etcd, endpoints: 'http://h:1', quota: 1KiB} | quota: | at least 1MiB",
        "epochs: {type: postgres} | /epochs/type: 'postgres' | epochs.url beside",
        "epochs: {type: other} | /epochs/type: 'other' | one of [coordinator, postgres]",
        "epochs: {type: postgres, url: 'sesame'} | a secret | postgresql://user:password@host",
        "epochs: {type: postgres, url: 'postgresql://h/d', install: 1} | the number 1 | true or",
        "epochs: {url: 'postgresql://h/d'} | a secret | no such key with epochs.type coordinator",
        "epochs: {install: true} | /epochs/install: true | no such key with epochs.type",
        "audit: {maxSize: 100} | /audit/maxSize: the number 100 | a size of at least 1KiB",
        "audit: {maxSize: 1B} | /audit/maxSize: '1B' | a size of at least 1KiB",
        "audit: {keep: 0} | /audit/keep: the number 0 | an integer from 1 to 20",
        "policies: '' | /policies: '' | a path",
        "policies: '${env:NOBODY}' | /policies: | the environment variable NOBODY to be set",
        "policies: '${file:/nowhere}' | /policies: | the file /nowhere to be readable",
        "worker: {port: '${env:PORT}0'} | /worker/port: '${env:PORT}0' | an integer from 0",
        "worker: {port: 1, port: 2} | gate.yaml:1:19: | each key once",
        "worker: {port: &a 1} | the anchor 'a' | anchors and aliases are not supported"
      })
  void whatDoesNotFitIsToldWithItsPlace(String text, String place, String expected) {
    List<String> messages = bad(text);

    assertThat(messages).hasSize(1);
    assertThat(messages.get(0))
        .contains(place)
        .contains(" was given, expected ")
        .contains(expected);
  }

  @Test
  void everyProblemIsTold() {
    assertThat(
            bad(
                "worker: { port: a, host: 1 }\nfoo: 1\nauth: { x: 1 }\n",
                Map.of("FENCEGATE_OPERATOR_PORT", "x"),
                Map.of(ConfigKey.AUDIT_KEEP, "y")))
        .hasSize(6);
  }

  @Test
  void placeholdersMayStandForNumbersAndPaths() {
    ServerConfig config =
        good("worker: { port: \"${env:PORT}\" }\npolicies: ${file:/run/dir}/policies\n");

    assertThat(config.worker().port()).isEqualTo(9090);
    assertThat(config.policies()).isEqualTo(Path.of("/var/gate/policies"));
  }

  @Test
  void anOptionCountsMoreThanAVariableAndThatMoreThanTheFile() {
    Map<String, String> environment =
        Map.of("FENCEGATE_WORKER_PORT", "2", "FENCEGATE_COORDINATOR_DATADIR", "other");
    String text = "worker: { port: 1, host: a }\n";

    assertThat(good(text, environment, Map.of()).worker()).isEqualTo(new Listener("a", 2));
    assertThat(good(text, environment, Map.of()).dataDir()).isEqualTo(Path.of("/srv/gate/other"));
    assertThat(good(text, environment, Map.of(ConfigKey.WORKER_PORT, "3")).worker())
        .isEqualTo(new Listener("a", 3));
  }

  @Test
  void anOverriddenValueOfTheFileMayBeUnusable() {
    assertThat(good("worker: { port: a }", Map.of(), Map.of(ConfigKey.WORKER_PORT, "3")).worker())
        .isEqualTo(new Listener("127.0.0.1", 3));
  }

  @Test
  void unusableOverridesNameTheirVariableOrOption() {
    assertThat(bad("", Map.of("FENCEGATE_WORKER_PORT", "tcp://10.0.0.1:8080"), Map.of()))
        .containsExactly(
            "environment variable FENCEGATE_WORKER_PORT: 'tcp://10.0.0.1:8080' was given,"
                + " expected an integer from 0 to 65535");
    assertThat(bad("", Map.of(), Map.of(ConfigKey.AUDIT_MAX_SIZE, "1")))
        .containsExactly(
            "option --audit.maxSize: '1' was given, expected a size of at least 1KiB, such as"
                + " 100MiB");
  }

  @Test
  void variablesThatLookLikeSettingsAreWarnedAbout() {
    ConfigLoad load =
        load("", Map.of("FENCEGATE_WORKER_PROT", "1", "FENCEGATE_JAVA_OPTS", "-Xmx1g"), Map.of());

    assertThat(load.<List<String>>fold(ConfigLoad.Loaded::warnings, messages -> List.of()))
        .containsExactly(
            "environment variable FENCEGATE_WORKER_PROT sets nothing: there is no such key"
                + " (did you mean 'FENCEGATE_WORKER_PORT'?)");
  }

  @Test
  void aMisspeltVariableIsToldBesideWhatIsBroken() {
    assertThat(bad("worker: { port: a }", Map.of("FENCEGATE_WORKER_PROT", "1"), Map.of()))
        .hasSize(2)
        .last()
        .asString()
        .contains("FENCEGATE_WORKER_PROT sets nothing");
  }

  @Test
  void variablesOfOtherVersionsAreRefused() {
    assertThat(bad("", Map.of("FENCEGATE_AUTH_JWT_ISSUER", "x"), Map.of()).get(0))
        .contains("FENCEGATE_AUTH_JWT_ISSUER")
        .contains("not in this version");
  }
}
