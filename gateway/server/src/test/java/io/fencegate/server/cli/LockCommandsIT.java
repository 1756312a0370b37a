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
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The lock commands against a real gateway. */
final class LockCommandsIT {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        log: { type: memory }
      resources:
        - name: log
          match: log/{name}
          adapter: log
          operations:
            append: { sql: append, params: { text: text } }
      """;

  private static final Path JAR =
      Path.of(System.getProperty("fencegate.jar", "target/fencegate.jar")).toAbsolutePath();

  @TempDir static Path folder;
  private static TestGateways gateways;

  private record Run(int exitCode, String out, String err) {
    JsonObject json() {
      return new JsonObject(out);
    }
  }

  @BeforeAll
  static void start() throws IOException {
    gateways = TestGateways.start(folder, POLICIES, 1);
  }

  @AfterAll
  static void stop() {
    gateways.close();
  }

  private static Run run(Map<String, String> more, String... args) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("FENCEGATE_URL", "http://127.0.0.1:" + gateways.workerPort(0));
    environment.put("FENCEGATE_OPERATOR_URL", "http://127.0.0.1:" + gateways.operatorPort(0));
    CommandLine commands =
        Main.commandLine(
            new Surroundings(environment, new SystemValues(), AdapterFactories.installed()));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    commands.setOut(new PrintWriter(out));
    commands.setErr(new PrintWriter(err));
    int exitCode = commands.execute(args);
    return new Run(exitCode, out.toString(), err.toString());
  }

  private static Run run(String... args) {
    return run(Map.of(), args);
  }

  private static JsonObject acquire(String resource, String... more) {
    List<String> args = new ArrayList<>(List.of("lock", "acquire", resource, "--json"));
    args.addAll(List.of(more));
    Run run = run(args.toArray(String[]::new));
    assertThat(run.exitCode()).as(run.toString()).isZero();
    return run.json();
  }

  private static Map<String, String> lease(JsonObject acquired) {
    return Map.of("FENCING_LEASE", acquired.getString("leaseId"));
  }

  @Test
  void aLockIsAcquiredShownRenewedAndReleased() {
    JsonObject acquired =
        acquire("log/day", "--ttl", "20s", "--holder", "me", "--metadata", "{\"n\":1}");
    assertThat(acquired.getLong("leaseTtlMs")).isGreaterThanOrEqualTo(20_000);

    JsonObject shown = run("lock", "show", "log/day", "--json").json();
    assertThat(shown.getString("fencingToken")).isEqualTo(acquired.getString("fencingToken"));
    assertThat(shown.getString("holder")).isEqualTo("me");
    assertThat(shown.getJsonObject("metadata").getInteger("n")).isEqualTo(1);

    Run renewed = run(lease(acquired), "lock", "renew", "log/day", "--ttl", "60s");
    assertThat(renewed.exitCode()).isZero();
    assertThat(renewed.out())
        .containsPattern("fencingToken +" + acquired.getString("fencingToken"))
        .doesNotContain(acquired.getString("leaseId"));

    Run released = run(lease(acquired), "lock", "release", "log/day");
    assertThat(released.exitCode()).isZero();
    assertThat(run("lock", "show", "log/day").out()).containsPattern("held +false");
  }

  @Test
  void theSecretIsPrintedForPeopleToo() {
    Run run = run("lock", "acquire", "log/people");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .containsPattern("(?m)^fencingToken +[1-9][0-9]*$")
        .containsPattern("(?m)^leaseId +[A-Za-z0-9_-]{22}$");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void theLeaseComesFromAFileThatTheAcquireFilled() throws IOException {
    JsonObject acquired = acquire("log/file");
    Path json = Files.writeString(folder.resolve("lease.json"), acquired.encodePrettily());
    Path bare = Files.writeString(folder.resolve("lease"), acquired.getString("leaseId") + "\n");

    assertThat(run("lock", "renew", "log/file", "--lease-file", json.toString()).exitCode())
        .isZero();
    assertThat(run("lock", "release", "log/file", "--lease-file", bare.toString()).exitCode())
        .isZero();
  }

  @Test
  void aHeldLockIsRefusedWithWhatToDo() {
    acquire("log/held");
    Run people = run("lock", "acquire", "log/held");
    Run machines = run("lock", "acquire", "log/held", "--json");

    assertThat(people.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(people.err()).contains("lock-held").contains("next: ").contains("--wait");
    assertThat(people.out()).isEmpty();
    assertThat(machines.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(machines.json().getString("code")).isEqualTo("lock-held");
  }

  @Test
  void theSameRequestIdFindsTheSameLock() {
    JsonObject first = acquire("log/again", "--request-id", "again-1");
    JsonObject second = acquire("log/again", "--request-id", "again-1");
    assertThat(second.getString("leaseId")).isEqualTo(first.getString("leaseId"));
    assertThat(run("lock", "acquire", "log/again", "--request-id", "again-1", "--holder", "x"))
        .satisfies(other -> assertThat(other.err()).contains("request-id-reused"))
        .satisfies(other -> assertThat(other.exitCode()).isEqualTo(ExitCode.REFUSED));
  }

  @Test
  void aReleaseOfAnothersLockIsRefusedAndARepeatIsNot() {
    JsonObject first = acquire("log/release");
    assertThat(run(lease(first), "lock", "release", "log/release").exitCode()).isZero();
    assertThat(run(lease(first), "lock", "release", "log/release").exitCode()).isZero();
    acquire("log/release");

    Run late = run(lease(first), "lock", "release", "log/release");
    assertThat(late.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(late.out()).contains("not-held");
    Run renewal = run(lease(first), "lock", "renew", "log/release");
    assertThat(renewal.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(renewal.err()).contains("lease-lost").contains("next: stop");
  }

  @Test
  void aGatewayThatIsNotThereIsUnavailable() throws IOException {
    String nobody;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = "http://127.0.0.1:" + free.getLocalPort();
    }
    Run show = run("lock", "show", "log/x", "--gateway", nobody);
    Run acquire = run("lock", "acquire", "log/x", "--gateway", nobody);
    Run cluster = run("cluster", "--operator", nobody);

    for (Run run : List.of(show, acquire, cluster)) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(run.err()).contains("not-sent").contains("fencegate serve");
    }
  }

  @Test
  void aGatewayThatDoesNotAnswerLeavesAChangeUnknownAndAQuestionUnavailable() throws Exception {
    ServerSocket mute = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    Thread closer = new Thread(() -> closeWhatComes(mute));
    closer.start();
    String url = "http://127.0.0.1:" + mute.getLocalPort();
    Run show = run("lock", "show", "log/x", "--gateway", url);
    Run taken = run("break", "log/x", "--reason", "test", "--operator", url);
    Run acquire = run("lock", "acquire", "log/x", "--request-id", "mine", "--gateway", url);
    mute.close();
    closer.join();

    assertThat(show.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(taken.exitCode()).isEqualTo(ExitCode.UNKNOWN);
    assertThat(taken.err()).contains("lock show log/x");
    assertThat(acquire.exitCode()).isEqualTo(ExitCode.UNKNOWN);
    assertThat(acquire.err()).contains("--request-id mine");
  }

  private static void closeWhatComes(ServerSocket server) {
    try {
      while (true) {
        try (var socket = server.accept()) {
          int unused = socket.getInputStream().read();
        }
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  @Test
  void aPortThatSpeaksAnotherLanguageIsNotTakenForARefusal() {
    Run run = run("cluster", "--operator", "http://127.0.0.1:" + gateways.workerPort(0));
    assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(run.err()).contains("not-found").contains("right port");
  }

  @Test
  void aWaitThatIsOverIsRefusedAndOneThatIsCancelledToo() throws Exception {
    acquire("log/queue");
    Run over = run("lock", "acquire", "log/queue", "--wait", "300ms");
    assertThat(over.exitCode()).isEqualTo(ExitCode.REFUSED);
    assertThat(over.err()).contains("wait-timeout").contains("next: ");

    Run nobody = run("lock", "cancel", "log/queue", "--request-id", "nobody");
    assertThat(nobody.exitCode()).isZero();
    assertThat(nobody.out()).containsPattern("cancelled +false");
  }

  @Test
  void aSignalDuringTheWaitTakesItBackAtTheGateway() throws Exception {
    acquire("log/signal");
    Path out = folder.resolve("signal.out");
    Process waiting =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                JAR.toString(),
                "lock",
                "acquire",
                "log/signal",
                "--wait",
                "5m",
                "--gateway",
                "http://127.0.0.1:" + gateways.workerPort(0))
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      awaitWaiters("log/signal", 1);
      waiting.destroy();
      assertThat(waiting.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(waiters("log/signal")).isZero();
      assertThat(Files.readString(out)).doesNotContain("leaseId");
    } finally {
      waiting.destroyForcibly();
    }
  }

  private static int waiters(String resource) {
    return gateways.client(0).get("/v1/locks/" + resource).json().getInteger("waiters");
  }

  private static void awaitWaiters(String resource, int count) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> waiters(resource) == count);
  }

  @Test
  void aLockIsTakenAwayOnlyFromTheTokenThatIsMeant() {
    JsonObject acquired = acquire("log/hung");
    String token = acquired.getString("fencingToken");
    Run wrong = run("break", "log/hung", "--reason", "test", "--token", "1");
    assertThat(wrong.exitCode()).as(wrong.toString()).isEqualTo(ExitCode.REFUSED);
    assertThat(wrong.out()).contains("not-held");
    assertThat(run("lock", "show", "log/hung").out()).containsPattern("held +true");

    Run right = run("break", "log/hung", "--reason", "test", "--token", token);
    assertThat(right.exitCode()).as(right.toString()).isZero();
    assertThat(right.out()).containsPattern("broken +true");
    assertThat(run("lock", "show", "log/hung").out()).containsPattern("held +false");
    assertThat(run(lease(acquired), "lock", "renew", "log/hung").exitCode())
        .isEqualTo(ExitCode.REFUSED);
  }

  @Test
  void theClusterIsShownAsATable() {
    Run people = run("cluster");
    Run machines = run("cluster", "--json");
    assertThat(people.exitCode()).as(people.toString()).isZero();
    assertThat(people.out())
        .containsPattern("(?m)^generation +[0-9]")
        .containsPattern("(?m)^gateways:\\R +session +address");
    assertThat(machines.json().getJsonArray("gateways")).hasSize(1);
  }
}
