/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Operations on a downstream that compares no tokens: the gateway alone judges and orders them. The
 * downstream is a folder; a file that is always full leaves a write in doubt, and a pipe that
 * nobody reads keeps one under way.
 */
class JudgedOperationsTest {

  @TempDir Path folder;
  private Path files;
  private TestGateways gateways;
  private ApiClient api;

  @BeforeEach
  void start() throws IOException {
    files = Files.createDirectory(folder.resolve("files"));
    gateways = TestGateways.start(folder, policies(files), 1);
    api = gateways.client(0);
  }

  @AfterEach
  void stop() {
    gateways.close();
  }

  static String policies(Path files) {
    return """
        apiVersion: fencegate/v1
        adapters:
          files: { type: lines, folder: "%s" }
        resources:
          - name: log
            match: log/{name}
            adapter: files
            guarantee: serialized
            operations:
              append: { sql: append, params: { line: text } }
        """
        .formatted(files);
  }

  static Answer write(ApiClient api, Lock lock, String line) {
    return api.write(
        lock,
        new JsonObject()
            .put("operation", "append")
            .put("params", new JsonObject().put("line", line)),
        Map.of());
  }

  private Lock handOver(Lock lock) {
    api.release(lock);
    return api.acquire(lock.resource());
  }

  static List<String> lines(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .map(line -> new JsonObject(line).getString("line"))
        .toList();
  }

  @Test
  void aStaleTokensWriteNeverReachesAFileThatComparesNothing() throws IOException {
    Lock older = api.acquire("log/a");
    Answer first = write(api, older, "one");
    assertThat(first.status()).as(first.toString()).isEqualTo(200);
    assertThat(first.header("Fencing-Guarantee")).isEqualTo("serialized");
    Lock newer = handOver(older);
    assertThat(write(api, newer, "two").status()).isEqualTo(200);
    assertThat(write(api, older, "zombie").code()).isEqualTo("stale-token");
    assertThat(lines(files.resolve("log%2Fa.log"))).containsExactly("one", "two");
  }

  @Test
  void anOperationInDoubtKeepsNewerTokensOutUntilAnOperatorHasLooked() throws IOException {
    Path file = files.resolve("log%2Fa.log");
    Files.createSymbolicLink(file, Path.of("/dev/full"));
    Lock older = api.acquire("log/a");
    Answer doubt = write(api, older, "full");
    assertThat(doubt.status()).as(doubt.toString()).isEqualTo(504);
    assertThat(doubt.code()).isEqualTo("outcome-unknown");
    Files.delete(file);
    assertThat(write(api, older, "same holder").status()).isEqualTo(200);
    Lock newer = handOver(older);
    Answer blocked = write(api, newer, "newer");
    assertThat(blocked.code()).as(blocked.toString()).isEqualTo("predecessor-unresolved");
    assertThat(api.seal(newer).code()).isEqualTo("predecessor-unresolved");
    JsonObject listed =
        gateways
            .operator(0)
            .get("/admin/v1/unresolved")
            .json()
            .getJsonArray("unresolved")
            .getJsonObject(0);
    assertThat(listed.getString("fencingToken")).isEqualTo(older.token());
    Answer word =
        gateways
            .operator(0)
            .post(
                "/admin/v1/unresolved/" + listed.getString("id") + "/resolve",
                new JsonObject().put("as", "rejected").put("reason", "the disk was full"));
    assertThat(word.status()).as(word.toString()).isEqualTo(200);
    assertThat(write(api, newer, "newer").status()).isEqualTo(200);
    assertThat(lines(file)).containsExactly("same holder", "newer");
  }

  @Test
  void aNewerTokensOperationWaitsUntilTheOlderOneHasEnded() throws Exception {
    Path file = files.resolve("log%2Fa.log");
    Process made = new ProcessBuilder("mkfifo", file.toString()).start();
    assertThat(made.waitFor()).isZero();
    Lock older = api.acquire("log/a");
    CompletableFuture<Answer> first =
        CompletableFuture.supplyAsync(() -> write(api, older, "older"));
    awaitInFlight(1);
    Lock newer = handOver(older);
    CompletableFuture<Answer> second =
        CompletableFuture.supplyAsync(() -> write(api, newer, "newer"));
    awaitInFlight(2);
    // Opened for both ways, so that it does not end between the two writers.
    Process reader = new ProcessBuilder("sh", "-c", "exec cat <>\"$0\"", file.toString()).start();
    try {
      assertThat(first.get(20, TimeUnit.SECONDS).status()).isEqualTo(200);
      assertThat(second.get(20, TimeUnit.SECONDS).status()).isEqualTo(200);
      for (String expected : List.of("older", "newer")) {
        assertThat(new JsonObject(reader.inputReader().readLine()).getString("line"))
            .isEqualTo(expected);
      }
    } finally {
      reader.destroyForcibly();
    }
  }

  private void awaitInFlight(int count) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () ->
                gateways
                    .operator(0)
                    .get("/admin/v1/resources/log/a")
                    .json()
                    .getInteger("inFlight", 0)
                    .equals(count));
  }
}
