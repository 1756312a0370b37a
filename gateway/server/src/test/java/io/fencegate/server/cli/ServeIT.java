/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runnable jar as a process of its own. */
final class ServeIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern READY = Pattern.compile("ready: worker (\\S+) operator (\\S+)");
  private static final Path JAR =
      Path.of(System.getProperty("fencegate.jar", "target/fencegate.jar")).toAbsolutePath();

  @TempDir private Path dir;

  private final List<Process> started = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();

  @BeforeEach
  void writeFiles() throws IOException {
    Files.createDirectory(dir.resolve("policies"));
    try (var policy = ServeIT.class.getResourceAsStream("dev-policy.yaml")) {
      Files.copy(policy, dir.resolve("policies/demo.yaml"));
    }
    Files.writeString(dir.resolve("fencegate.yaml"), "worker: {port: 0}\noperator: {port: 0}\n");
  }

  @AfterEach
  void endWhatIsLeft() {
    started.forEach(Process::destroyForcibly);
  }

  private Process start(Path out, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", JAR.toString(), "serve"));
    command.addAll(List.of(args));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(Path.of(out + ".err").toFile())
            .start();
    started.add(process);
    return process;
  }

  private static String workerUrl(Process process, Path out) {
    return Awaitility.await()
        .atMost(PATIENCE)
        .until(
            () -> {
              Matcher ready = READY.matcher(read(out));
              assertThat(process.isAlive()).as(() -> read(Path.of(out + ".err"))).isTrue();
              return ready.find() ? ready.group(1) : "";
            },
            url -> !url.isEmpty());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int ended(Process process) throws InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private HttpResponse<String> post(String url, JsonObject body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.encode()));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private JsonObject acquire(String url, String requestId) throws Exception {
    HttpResponse<String> answer =
        post(
            url + "/v1/locks/acquire",
            new JsonObject().put("resource", "demo/one").put("requestId", requestId));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private HttpResponse<String> write(String url, JsonObject lock, String key) throws Exception {
    JsonObject params = new JsonObject().put("text", key);
    return post(
        url + "/v1/write/demo/one",
        new JsonObject().put("operation", "append").put("params", params),
        "Fencing-Token",
        lock.getString("fencingToken"),
        "Fencing-Lease",
        lock.getString("leaseId"),
        "Idempotency-Key",
        key);
  }

  @Test
  void aGatewayServesStopsOnASignalAndRemembersItsLocks() throws Exception {
    String config = dir.resolve("fencegate.yaml").toString();
    Process first = start(dir.resolve("first"), "--config", config);
    String url = workerUrl(first, dir.resolve("first"));
    JsonObject lock = acquire(url, "mine");
    HttpResponse<String> written = write(url, lock, "one");
    assertThat(written.statusCode()).as(written.body()).isEqualTo(200);
    assertThat(written.headers().firstValue("Fencing-Decision")).contains("accepted");

    first.destroy();
    assertThat(ended(first)).isZero();

    Process second = start(dir.resolve("second"), "--config", config);
    String again = workerUrl(second, dir.resolve("second"));
    JsonObject repeated = acquire(again, "mine");
    assertThat(repeated.getString("leaseId")).isEqualTo(lock.getString("leaseId"));
    assertThat(repeated.getString("fencingToken")).isEqualTo(lock.getString("fencingToken"));
    assertThat(Files.readString(dir.resolve("audit.jsonl")))
        .contains("\"event\":\"write\"")
        .doesNotContain(lock.getString("leaseId"));
    second.destroy();
    assertThat(ended(second)).isZero();
  }

  @Test
  void aGatewayWithoutPoliciesSaysThatItRefusesEverything() throws Exception {
    Files.createDirectory(dir.resolve("empty"));
    Process gateway =
        start(
            dir.resolve("out"),
            "--config",
            dir.resolve("fencegate.yaml").toString(),
            "--policies=empty");
    workerUrl(gateway, dir.resolve("out"));

    assertThat(read(dir.resolve("out.err")))
        .contains("NO POLICY is in force: every request will be refused");
    gateway.destroy();
    assertThat(ended(gateway)).isZero();
  }

  @Test
  void aDirectoryInUseIsToldAndLeftAlone() throws Exception {
    String config = dir.resolve("fencegate.yaml").toString();
    Process first = start(dir.resolve("first"), "--config", config);
    String url = workerUrl(first, dir.resolve("first"));

    Process second = start(dir.resolve("second"), "--config", config);

    assertThat(ended(second)).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(read(dir.resolve("second.err")))
        .contains("is in use by another gateway")
        .doesNotContain("\tat ");
    assertThat(acquire(url, "still").getString("fencingToken")).isNotBlank();
  }

  @Test
  void aWitnessThatCannotBeReadKeepsTheGatewayFromStarting() throws Exception {
    Files.createDirectories(dir.resolve("marred"));
    Path witness = Files.writeString(dir.resolve("marred/history.witness"), "revision 7");
    Process gateway =
        start(
            dir.resolve("third"),
            "--config",
            dir.resolve("fencegate.yaml").toString(),
            "--coordinator.dataDir=marred");
    assertThat(ended(gateway)).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(read(dir.resolve("third.err")))
        .contains("cannot read the witness", witness.toString(), "raise the generation first")
        .doesNotContain("\tat ");
  }

  @Test
  void aPortInUseIsToldWithItsNumber() throws Exception {
    String config = dir.resolve("fencegate.yaml").toString();
    Process first = start(dir.resolve("first"), "--config", config);
    int port = URI.create(workerUrl(first, dir.resolve("first"))).getPort();

    Process second =
        start(
            dir.resolve("second"),
            "--config",
            config,
            "--worker.port=" + port,
            "--coordinator.dataDir=other");

    assertThat(ended(second)).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(read(dir.resolve("second.err")))
        .contains("cannot listen on 127.0.0.1 port " + port)
        .doesNotContain("\tat ");
  }

  @Test
  void devWorksAtOnceAndLeavesNothingBehind() throws Exception {
    Process dev = start(dir.resolve("dev"), "--dev", "--worker.port=0", "--operator.port=0");
    String url = workerUrl(dev, dir.resolve("dev"));
    assertThat(read(dir.resolve("dev"))).contains("curl -s " + url + "/v1/locks/acquire");
    Matcher kept = Pattern.compile("kept in (\\S+) until").matcher(read(dir.resolve("dev")));
    assertThat(kept.find()).isTrue();
    JsonObject lock = acquire(url, "mine");
    assertThat(write(url, lock, "one").statusCode()).isEqualTo(200);

    dev.destroy();

    assertThat(ended(dev)).isZero();
    assertThat(Path.of(kept.group(1))).doesNotExist();
  }
}
