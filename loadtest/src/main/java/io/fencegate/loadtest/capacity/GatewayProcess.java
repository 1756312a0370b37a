/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A gateway as users run it, from the server's jar, with as much heap as it is to get by with and a
 * log of its collections.
 */
final class GatewayProcess implements AutoCloseable {

  private static final int MAX_HEAP_MIB = 512;
  private static final long BYTES_PER_MIB = 1L << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long POLL_MILLIS = 100;

  private static final Pattern READY = Pattern.compile("ready: worker (\\S+) operator (\\S+)");

  /** Heap before and after a pause, as G1 logs it: {@code 123M->45M(512M)}. */
  private static final Pattern PAUSE = Pattern.compile("Pause .* (\\d+)M->(\\d+)M\\(\\d+M\\)");

  private static final String POLICY =
      """
      apiVersion: fencegate/v1
      adapters:
        nowhere: { type: memory }
      resources:
        - name: load
          match: load/{number}
          adapter: nowhere
          guarantee: strict
          lease: { ttl: 30s, maxTtl: 5m }
          dedup: { retention: 2m }
          operations:
            note: { sql: "note" }
      """;

  private final MeasuredProcess process;
  private final Path directory;
  private final URI worker;
  private final URI operator;

  private GatewayProcess(MeasuredProcess process, Path directory, URI worker, URI operator) {
    this.process = process;
    this.directory = directory;
    this.worker = worker;
    this.operator = operator;
  }

  /**
   * Starts a gateway and waits until it is ready.
   *
   * @param coordinator the settings below {@code coordinator:} in its server file, in braces
   * @param flags more flags for its JVM
   */
  static GatewayProcess start(
      Path serverJar, Path directory, String coordinator, List<String> flags) {
    if (!Files.isReadable(serverJar)) {
      throw new CapacityFailure(
          "there is no server jar at "
              + serverJar
              + ": mvn package -Dmaven.test.skip=true makes it");
    }
    try {
      Files.createDirectories(directory.resolve("policies"));
      Files.writeString(directory.resolve("policies/load.yaml"), POLICY);
      Files.writeString(directory.resolve("fencegate.yaml"), serverFile(coordinator));
      Files.deleteIfExists(gcLog(directory));
      // Each run has a new etcd, whose history is not the one that an earlier run's gateway saw.
      Files.deleteIfExists(directory.resolve("data/history.witness"));
      List<String> arguments = new ArrayList<>();
      arguments.add("-Xmx" + MAX_HEAP_MIB + "m");
      arguments.add("-XX:+UseG1GC");
      arguments.add("-Xlog:gc:file=" + gcLog(directory));
      arguments.addAll(flags);
      arguments.addAll(List.of("-jar", serverJar.toString(), "serve", "--config"));
      arguments.add(directory.resolve("fencegate.yaml").toString());
      MeasuredProcess process =
          MeasuredProcess.java(arguments, directory, directory.resolve("gateway.log"));
      return awaitReady(process, directory);
    } catch (IOException e) {
      throw new CapacityFailure("cannot write the gateway's files", e);
    }
  }

  private static String serverFile(String coordinator) {
    return """
        worker: { host: 127.0.0.1, port: 0 }
        operator: { host: 127.0.0.1, port: 0 }
        coordinator: %s
        policies: policies/
        audit: { file: audit.jsonl, maxSize: 50MiB, keep: 2 }
        """
        .formatted(coordinator);
  }

  private static GatewayProcess awaitReady(MeasuredProcess process, Path directory)
      throws IOException {
    BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.process().getInputStream(), StandardCharsets.UTF_8));
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      Matcher said = READY.matcher(line);
      if (said.find()) {
        GatewayProcess gateway =
            new GatewayProcess(
                process, directory, URI.create(said.group(1)), URI.create(said.group(2)));
        gateway.awaitReady();
        return gateway;
      }
    }
    throw process.failed("the gateway did not start");
  }

  private void awaitReady() {
    long startNanos = System.nanoTime();
    while (!answersReady()) {
      if (System.nanoTime() - startNanos > PATIENCE.toNanos() || !process.process().isAlive()) {
        throw process.failed("the gateway does not become ready");
      }
      Pauses.millis(POLL_MILLIS);
    }
  }

  private boolean answersReady() {
    HttpRequest request =
        HttpRequest.newBuilder(operator.resolve("/readyz")).timeout(Duration.ofSeconds(2)).build();
    try {
      return HttpClient.newHttpClient()
              .send(request, HttpResponse.BodyHandlers.ofString())
              .statusCode()
          == 200;
    } catch (IOException notYet) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CapacityFailure("interrupted", e);
    }
  }

  URI worker() {
    return worker;
  }

  long pid() {
    return process.pid();
  }

  /**
   * The heap's highest occupation, garbage included, and the highest that a collection left behind.
   */
  record Heap(long peakMib, long peakLiveMib, int maxMib) {}

  /** What the log of collections says so far. */
  Heap heap() {
    long peak = 0;
    long live = 0;
    try {
      for (String line : Files.readAllLines(gcLog(directory))) {
        Matcher pause = PAUSE.matcher(line);
        if (pause.find()) {
          peak = Math.max(peak, Long.parseLong(pause.group(1)));
          live = Math.max(live, Long.parseLong(pause.group(2)));
        }
      }
    } catch (IOException e) {
      throw new CapacityFailure("the gateway's log of collections cannot be read", e);
    }
    return new Heap(peak, live, MAX_HEAP_MIB);
  }

  /** The most memory that the whole process ever had, in MiB; 0 where the system does not tell. */
  long peakResidentMib() {
    try {
      return Files.readAllLines(Path.of("/proc/" + pid() + "/status")).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024 / BYTES_PER_MIB)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }

  private static Path gcLog(Path directory) {
    return directory.resolve("gc.log");
  }

  @Override
  public void close() {
    process.end();
  }
}
