/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.TestGateways;
import io.fencegate.server.policy.AdapterFactories;
import io.fencegate.server.policy.SystemValues;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What an operator types to stop writes. */
class FreezeCommandsTest {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        scratch: { type: memory }
      resources:
        - name: demo
          match: demo/{name}
          adapter: scratch
          operations:
            append: { sql: "append", params: { text: text } }
      """;

  @TempDir Path folder;
  private TestGateways gateways;

  private record Run(int exitCode, String out, String err) {}

  @BeforeEach
  void start() throws IOException {
    gateways = TestGateways.start(folder, POLICIES, 1);
  }

  @AfterEach
  void stop() {
    gateways.close();
  }

  private Run run(String... args) {
    String operator = "http://127.0.0.1:" + gateways.operatorPort(0);
    CommandLine commands =
        Main.commandLine(
            new Surroundings(
                Map.of("FENCEGATE_OPERATOR_URL", operator),
                new SystemValues(),
                AdapterFactories.installed()));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    commands.setOut(new PrintWriter(out));
    commands.setErr(new PrintWriter(err));
    int exitCode = commands.execute(args);
    return new Run(exitCode, out.toString(), err.toString());
  }

  @Test
  void writesAreStoppedListedAndLetInAgain() {
    Run freeze = run("freeze", "--scope=policy", "--target=demo", "--reason=move", "--json");
    assertThat(freeze.exitCode()).as(freeze.toString()).isZero();
    String id = new JsonObject(freeze.out()).getString("id");
    assertThat(run("freezes").out()).contains(id, "policy", "demo", "move");
    Run unfreeze = run("unfreeze", id, "--reason", "moved");
    assertThat(unfreeze.exitCode()).as(unfreeze.toString()).isZero();
    assertThat(run("freezes").out()).doesNotContain(id);
    Run again = run("unfreeze", id, "--reason", "moved");
    assertThat(again.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(again.err()).contains(id);
  }

  @Test
  void aPolicyThatIsNotThereIsRefused() {
    Run run = run("freeze", "--scope=policy", "--target=dmeo", "--reason=move");
    assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err()).contains("'dmeo' was given");
  }
}
