/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real gateway: the server's jar in a process of its own, with files as an operator writes. */
final class GatewayProcess {

  /** With the pause between them some 20 s: a JVM start on a busy machine. */
  private static final int READY_ATTEMPTS = 200;

  private static final long READY_PAUSE_MILLIS = 100;

  /** How long one question may take; a gateway that does not answer at once is asked again. */
  private static final Duration READY_PATIENCE = Duration.ofSeconds(2);

  /** Nothing is under way when the demo ends, so it has nothing to wait for. */
  private static final long STOP_SECONDS = 8;

  /** What the gateway prints when its ports are open. */
  private static final Pattern READY =
      Pattern.compile("^ready: worker (\\S+) operator (\\S+)\\R", Pattern.MULTILINE);

  /** Free ports are the gateway's to find: one that is found here may be taken until it starts. */
  private static final String SERVER_FILE =
      """
      worker: { host: 127.0.0.1, port: 0 }
      operator: { host: 127.0.0.1, port: 0 }
      coordinator: { type: embedded, dataDir: data }
      policies: policies/
      audit: { file: audit.jsonl }
      """;

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

  /** Where a gateway listens. */
  record Addresses(URI worker, URI operator) {}

  private final Process process;
  private final Path directory;

  private GatewayProcess(Process process, Path directory) {
    this.process = process;
    this.directory = directory;
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
      Path serverFile = directory.resolve("fencegate.yaml");
      Files.writeString(serverFile, SERVER_FILE);
      Files.writeString(directory.resolve("policies/settlement.yaml"), POLICY_FILE);
      ProcessBuilder builder =
          new ProcessBuilder(JavaCommand.of(serverJar, "serve", "--config", serverFile.toString()));
      // In the environment, not on the command line: every user of the machine sees the latter.
      builder.environment().put("LEDGER_URL", ledgerUrl);
      builder.directory(directory.toFile());
      builder.redirectOutput(output(directory).toFile());
      builder.redirectError(log(directory).toFile());
      return new GatewayProcess(builder.start(), directory);
    } catch (IOException e) {
      throw new DemoFailure("The gateway could not be started", "see the reason above", e);
    }
  }

  private static Path output(Path directory) {
    return directory.resolve("gateway.out");
  }

  private static Path log(Path directory) {
    return directory.resolve("gateway.log");
  }

  /** Waits until the gateway has said where it listens and answers that it is ready. */
  Addresses awaitReady() throws DemoFailure, InterruptedException {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    String last = "it has not said where it listens";
    for (int i = 0; i < READY_ATTEMPTS; i++) {
      if (process.waitFor(READY_PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        throw failed("The gateway ended with exit code " + process.exitValue());
      }
      try {
        Optional<Addresses> said = addresses();
        if (said.isPresent()) {
          HttpResponse<String> answer = http.send(readyz(said.get()), BodyHandlers.ofString());
          if (answer.statusCode() == HttpURLConnection.HTTP_OK) {
            return said.get();
          }
          last = answer.body();
        }
      } catch (IOException notAnsweredYet) {
        last = "no answer yet";
      }
    }
    throw failed("The gateway did not become ready: " + last);
  }

  private Optional<Addresses> addresses() throws IOException {
    Matcher ready = READY.matcher(Files.readString(output(directory)));
    return ready.find()
        ? Optional.of(new Addresses(URI.create(ready.group(1)), URI.create(ready.group(2))))
        : Optional.empty();
  }

  private static HttpRequest readyz(Addresses addresses) {
    URI address = addresses.operator().resolve("/readyz");
    return HttpRequest.newBuilder(address).timeout(READY_PATIENCE).build();
  }

  DemoFailure failed(String what) {
    return new DemoFailure(
        what, "the gateway's log says why; report it if it does not" + Logs.tail(log(directory)));
  }

  /** Ends the process, by force if it must be. */
  void end() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor(STOP_SECONDS, TimeUnit.SECONDS);
    }
  }
}
