/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A real gateway: the server's jar in a process of its own, with files as an operator writes. */
final class GatewayProcess {

  private static final int READY_ATTEMPTS = 200;
  private static final long READY_PAUSE_MILLIS = 100;
  private static final Duration READY_PATIENCE = Duration.ofSeconds(2);
  private static final long STOP_SECONDS = 8;

  private static final String POLICY_FILE =
      """
      apiVersion: fencegate/v1
      adapters:
        ledger-db:
          type: postgres
          url: ${env:LEDGER_URL}
      resources:
        - name: settlement
          match: settlement/{region}
          adapter: ledger-db
          guarantee: strict
          lease: { required: true, ttl: 5s, maxTtl: 30s }
          idempotency: { required: true, retention: 24h, scope: resource }
          operations:
            post-entry:
              sql: >-
                INSERT INTO entries (posting_id, region, account, currency, amount)
                VALUES (:posting_id, :region, :account, :currency, :amount)
                RETURNING posting_id
              params: { posting_id: text, account: text, currency: text, amount: numeric }
              minRows: 1
      """;

  private final Process process;
  private final Path directory;
  private final URI worker;
  private final URI operator;

  private GatewayProcess(Process process, Path directory, URI worker, URI operator) {
    this.process = process;
    this.directory = directory;
    this.worker = worker;
    this.operator = operator;
  }

  /** Starts a gateway with its files under {@code directory}; it may not be ready yet. */
  static GatewayProcess start(Path serverJar, Path directory, String ledgerUrl) throws DemoFailure {
    if (!Files.isReadable(serverJar)) {
      throw new DemoFailure(
          "There is no server jar at " + serverJar,
          "build it with: mvn package -DskipTests, or give -Dfencegate.server.jar=FILE");
    }
    try {
      Files.createDirectories(directory.resolve("policies"));
      int workerPort = Ports.free();
      int operatorPort = Ports.free();
      Path serverFile = directory.resolve("fencegate.yaml");
      Files.writeString(serverFile, serverFile(workerPort, operatorPort));
      Files.writeString(directory.resolve("policies/settlement.yaml"), POLICY_FILE);
      ProcessBuilder builder =
          new ProcessBuilder(JavaCommand.of(serverJar, "serve", "--config", serverFile.toString()));
      // In the environment, not on the command line: every user of the machine sees the latter.
      builder.environment().put("LEDGER_URL", ledgerUrl);
      builder.directory(directory.toFile());
      builder.redirectErrorStream(true);
      builder.redirectOutput(log(directory).toFile());
      Process process = builder.start();
      return new GatewayProcess(process, directory, local(workerPort), local(operatorPort));
    } catch (IOException e) {
      throw new DemoFailure("The gateway could not be started", "see the reason above", e);
    }
  }

  private static String serverFile(int workerPort, int operatorPort) {
    return String.format(
        """
        worker: { host: 127.0.0.1, port: %d }
        operator: { host: 127.0.0.1, port: %d }
        coordinator: { type: embedded, dataDir: data }
        policies: policies/
        audit: { file: audit.jsonl }
        """,
        workerPort, operatorPort);
  }

  private static URI local(int port) {
    return URI.create("http://127.0.0.1:" + port);
  }

  private static Path log(Path directory) {
    return directory.resolve("gateway.log");
  }

  /** Waits until the gateway says that it is ready. */
  void awaitReady() throws DemoFailure, InterruptedException {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    String last = "no answer yet";
    for (int i = 0; i < READY_ATTEMPTS; i++) {
      if (process.waitFor(READY_PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        throw failed("The gateway ended with exit code " + process.exitValue());
      }
      try {
        HttpRequest request =
            HttpRequest.newBuilder(operator.resolve("/readyz")).timeout(READY_PATIENCE).build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() == 200) {
          return;
        }
        last = answer.body();
      } catch (IOException notListeningYet) {
        last = "no answer yet";
      }
    }
    throw failed("The gateway did not become ready: " + last);
  }

  DemoFailure failed(String what) {
    return new DemoFailure(
        what, "the gateway's log says why; report it if it does not" + Logs.tail(log(directory)));
  }

  URI worker() {
    return worker;
  }

  URI operator() {
    return operator;
  }

  /** Ends the process, by force if it must be. */
  void end() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor(STOP_SECONDS, TimeUnit.SECONDS);
    }
  }
}
