/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.file.PolicyFiles;
import io.fencegate.server.policy.AdapterFactories;
import io.fencegate.server.policy.SystemValues;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class CommandsTest {

  private static final String POLICY =
      """
      apiVersion: fencegate/v1
      adapters:
        scratch: { type: memory }
        ledger: { type: postgres, url: "postgresql://gate@127.0.0.1:5432/ledger" }
      resources:
        - name: demo
          match: demo/{name}
          adapter: scratch
          guarantee: strict
          operations:
            append: { sql: append, params: { text: text } }
      """;

  @TempDir private Path dir;

  private record Run(int exitCode, String out, String err) {}

  private static Run run(String... args) {
    CommandLine commands =
        Main.commandLine(
            new Surroundings(Map.of(), new SystemValues(), AdapterFactories.installed()));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    commands.setOut(new PrintWriter(out));
    commands.setErr(new PrintWriter(err));
    int exitCode = commands.execute(args);
    return new Run(exitCode, out.toString(), err.toString());
  }

  private String file(String name, String text) throws IOException {
    Path file = dir.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text).toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "serve ",
        "policy ",
        "policy check ",
        "policy schema ",
        "sql ",
        "sql install ",
        "demo ",
        "lock ",
        "lock acquire ",
        "lock renew ",
        "lock release ",
        "lock show ",
        "lock cancel ",
        "break ",
        "freeze ",
        "unfreeze ",
        "freezes ",
        "cluster ",
        "cluster generation ",
        "reset-epoch "
      })
  void everyCommandExplainsItselfAndItsVersion(String command) {
    Run help = run((command + "--help").split(" "));
    Run version = run((command + "--version").split(" "));

    assertThat(help.exitCode()).isZero();
    assertThat(help.out()).contains("Usage: fencegate").contains("--help");
    assertThat(version.exitCode()).isZero();
    assertThat(version.out()).startsWith("fencegate ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nothing",
        "serve",
        "serve --config a --dev",
        "serve --dev --worker.prot=1",
        "policy",
        "policy check",
        "sql",
        "sql install",
        "sql install --type a --adapter b",
        "demo",
        "lock",
        "lock acquire",
        "lock acquire ../a",
        "lock acquire a --ttl 5",
        "lock acquire a --wait x",
        "lock acquire a --metadata 1",
        "lock acquire a --request-id a/b",
        "lock acquire a --gateway a",
        "lock acquire a --gateway ftp://a",
        "lock renew a",
        "lock release a --lease secret",
        "lock release a --lease - --lease-file b",
        "lock renew a --lease-file /none",
        "lock show",
        "lock cancel a",
        "break a",
        "break a --reason",
        "break a --reason b --token 0",
        "break",
        "freeze",
        "freeze --scope all",
        "freeze --scope all --reason",
        "freeze --scope all --target a --reason b",
        "freeze --scope policy --reason b",
        "freeze --scope some --target a --reason b",
        "freeze --scope prefix --target a/ --reason b",
        "unfreeze",
        "unfreeze a",
        "unfreeze ../a --reason b",
        "cluster generation",
        "cluster generation --raise",
        "cluster generation --reason a",
        "reset-epoch",
        "reset-epoch a"
      })
  void unusableCommandLinesAreToldInAFewLines(String line) {
    Run run = run(line.split(" "));

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .isNotBlank()
        .doesNotContain("\tat ")
        .doesNotContain("Exception")
        .doesNotContain("Error: ");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aLeaseOnTheCommandLineIsRefusedAndNotRepeated() {
    Run run = run("lock", "release", "demo/a", "--lease", "tRn9T310G7xAoEGZiTNrTg");

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("others can read command lines").doesNotContain("tRn9T");
  }

  @Test
  void commandsThatTalkToAGatewayHaveExamples() {
    for (String command :
        new String[] {
          "lock acquire",
          "lock renew",
          "lock release",
          "lock show",
          "break",
          "reset-epoch",
          "freeze",
          "unfreeze",
          "freezes"
        }) {
      assertThat(run((command + " --help").split(" ")).out())
          .contains("Examples:")
          .containsPattern("(?s)Examples:.* fencegate " + command + " ")
          .contains("FENCEGATE_");
    }
  }

  @Test
  void jsonIsShownAsLinesAndTables() {
    JsonObject document =
        new JsonObject(
            """
            {"generation":{"was":1,"is":2},"healthy":true,"none":null,"odd":"a\\u001b[31m\\nb",
             "gateways":[{"id":"g-1","slots":128},{"id":"gateway-2","role":"x"}],"empty":[]}
            """);
    assertThat(JsonText.lines(document))
        .containsExactly(
            "generation.was  1",
            "generation.is   2",
            "healthy         true",
            "none            -",
            "odd             a?[31m?b",
            "empty           []",
            "",
            "gateways:",
            "  id         slots  role",
            "  g-1        128    -",
            "  gateway-2  -      x");
  }

  @Test
  void serveTellsWhatIsWrongWithItsFile() throws IOException {
    Run missing = run("serve", "--config", dir.resolve("none.yaml").toString());
    Run wrong = run("serve", "--config", file("gate.yaml", "worker: { port: a }\nauth: {}\n"));

    assertThat(missing.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(missing.err()).contains("none.yaml: a file that does not exist was given");
    assertThat(wrong.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(wrong.err()).contains("gate.yaml:1:17: ").contains("gate.yaml:2:1: ");
  }

  @Test
  void devServesNobodyElse() {
    Run run = run("serve", "--dev", "--worker.host=0.0.0.0");

    assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err())
        .contains("host '0.0.0.0' was given, expected one of [127.0.0.1, ::1, localhost]");
  }

  @Test
  void serveRefusesPoliciesItCannotUse() throws IOException {
    file("policies/a.yaml", POLICY.replace("type: memory", "type: remembery"));
    Run run =
        run("serve", "--config", file("gate.yaml", "worker: {port: 0}\noperator: {port: 0}\n"));

    assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err()).contains("a.yaml:3:20: ").contains("'remembery' was given");
  }

  @Test
  void serveTellsThatItsAuditFileCannotBeWritten() throws IOException {
    file("policies/a.yaml", POLICY);
    file("audit.jsonl/in-the-way", "");
    Run run =
        run("serve", "--config", file("gate.yaml", "worker: {port: 0}\noperator: {port: 0}\n"));

    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.err()).contains("cannot write the audit file").contains("--audit.file=");
  }

  @Test
  void goodPoliciesAreCounted() throws IOException {
    Run run = run("policy", "check", file("p.yaml", POLICY));

    assertThat(run).isEqualTo(new Run(0, "ok: 1 policy" + System.lineSeparator(), ""));
  }

  @Test
  void anEmptyFolderIsSaidToRefuseEverything() {
    Run run = run("policy", "check", dir.toString());

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).startsWith("ok: 0 policies (every request will be refused)");
  }

  @Test
  void aPolicyFileThatDoesNotExistIsToldAsSuch() {
    Run run = run("policy", "check", dir.resolve("none.yaml").toString());

    assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err()).contains("none.yaml:1:1: ").contains("a file that does not exist");
  }

  @Test
  void theSchemaIsPrintedForEditors() {
    Run run = run("policy", "schema");

    assertThat(run.exitCode()).isZero();
    assertThat(new JsonObject(run.out()).getString("$schema")).contains("draft-07");
    assertThat(run.out().strip()).isEqualTo(PolicyFiles.schema().strip());
  }

  @Test
  void aMissingPolicyFolderIsUnavailable() throws IOException {
    String config = file("gate.yaml", "");
    Run serve = run("serve", "--config", config);
    Run sql = run("sql", "install", "--config", config, "--adapter", "ledger");

    assertThat(serve.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(serve.err()).contains(dir.resolve("policies").toString()).contains("--policies=");
    assertThat(sql.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
  }

  @Test
  void badPoliciesAreToldWithTheirPlace() throws IOException {
    Run run = run("policy", "check", file("p.yaml", POLICY.replace("strict", "strong")));

    assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err()).contains("p.yaml:9:16: ").contains("was given, expected");
  }

  @Test
  void resultsForMachinesAreJson() throws IOException {
    Run good = run("policy", "check", "--json", file("p.yaml", POLICY));
    Run bad = run("policy", "check", "--json", file("q.yaml", "apiVersion: 1\n"));

    assertThat(new JsonObject(good.out()).getBoolean("ok")).isTrue();
    JsonObject problem = new JsonObject(bad.out()).getJsonArray("messages").getJsonObject(0);
    assertThat(problem.getInteger("line")).isEqualTo(1);
    assertThat(problem.getString("expected")).isNotBlank();
    assertThat(bad.exitCode()).isEqualTo(ExitCode.REFUSED);
  }

  @Test
  void sqlOfAnAdapterOrATypeIsPrinted() throws IOException {
    file("policies/p.yaml", POLICY);
    String config = file("fencegate.yaml", "");
    Run byType = run("sql", "install", "--type", "postgres");
    Run byName = run("sql", "install", "--config", config, "--adapter", "ledger");

    assertThat(byType.exitCode()).isZero();
    assertThat(byType.out()).contains("CREATE ");
    assertThat(byName).isEqualTo(byType);
  }

  @Test
  void sqlThatDoesNotExistIsRefused() throws IOException {
    file("policies/p.yaml", POLICY);
    String config = file("fencegate.yaml", "");

    assertThat(run("sql", "install", "--type", "oracle").err()).contains("expected one of [http");
    assertThat(run("sql", "install", "--type", "memory").exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(run("sql", "install", "--config", config, "--adapter", "other").err())
        .contains("'other' was given, expected one of [ledger, scratch]");
  }
}
