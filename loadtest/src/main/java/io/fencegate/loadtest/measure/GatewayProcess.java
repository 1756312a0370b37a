/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.measure;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A gateway as users run it, from the server's jar. */
public final class GatewayProcess implements AutoCloseable {

  private static final long BYTES_PER_MIB = 1L << 20;
  private static final int OK = 200;
  private static final Duration PROBE = Duration.ofSeconds(2);
  private static final Pattern READY = Pattern.compile("ready: worker (\\S+) operator (\\S+)");

  private final MeasuredProcess process;
  private final HttpClient http = HttpClient.newHttpClient();
  private final URI worker;
  private final URI operator;

  private GatewayProcess(MeasuredProcess process, URI worker, URI operator) {
    this.process = process;
    this.worker = worker;
    this.operator = operator;
  }

  /**
   * What a gateway is started with.
   *
   * @param directory for its files
   * @param coordinator the settings below {@code coordinator:} in its server file, in braces
   * @param policy the text of its only policy file
   */
  public record Setup(Path serverJar, Path directory, String coordinator, String policy, Jvm jvm) {}

  /**
   * The JVM that it runs in.
   *
   * @param launcher in front of the command, such as one that pins it to a processor; may be empty
   * @param flags more flags than it needs anyway
   */
  public record Jvm(List<String> launcher, List<String> flags) {}

  /** Starts a gateway and waits until it is ready. */
  public static GatewayProcess start(Setup setup) {
    if (!Files.isReadable(setup.serverJar())) {
      throw new MeasurementFailure(
          "there is no server jar at "
              + setup.serverJar()
              + ": mvn package -Dmaven.test.skip=true makes it");
    }
    writeFiles(setup);
    MeasuredProcess process =
        MeasuredProcess.start(
            command(setup), setup.directory(), setup.directory().resolve("gateway.log"));
    MatchResult ready = process.awaitLine(READY, "the gateway");
    GatewayProcess gateway =
        new GatewayProcess(process, URI.create(ready.group(1)), URI.create(ready.group(2)));
    Await.ready(process, "the gateway", gateway::answersReady);
    return gateway;
  }

  private static void writeFiles(Setup setup) {
    Path directory = setup.directory();
    try {
      Files.createDirectories(directory.resolve("policies"));
      Files.writeString(directory.resolve("policies/load.yaml"), setup.policy());
      Files.writeString(directory.resolve("fencegate.yaml"), serverFile(setup.coordinator()));
      // Each run has a new coordinator, whose history is not the one that an earlier gateway saw.
      Files.deleteIfExists(directory.resolve("data/history.witness"));
    } catch (IOException e) {
      throw new MeasurementFailure("cannot write the gateway's files", e);
    }
  }

  private static List<String> command(Setup setup) {
    List<String> arguments = new ArrayList<>(setup.jvm().flags());
    arguments.add("--enable-native-access=ALL-UNNAMED");
    arguments.addAll(List.of("-jar", setup.serverJar().toString(), "serve", "--config"));
    arguments.add(setup.directory().resolve("fencegate.yaml").toString());
    List<String> command = new ArrayList<>(setup.jvm().launcher());
    command.addAll(MeasuredProcess.java(arguments));
    return command;
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

  private boolean answersReady() {
    HttpRequest request =
        HttpRequest.newBuilder(operator.resolve("/readyz")).timeout(PROBE).build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == OK;
    } catch (IOException notYet) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MeasurementFailure("interrupted", e);
    }
  }

  /** Where workers call. */
  public URI worker() {
    return worker;
  }

  public long pid() {
    return process.pid();
  }

  /** The most memory that the whole process ever had, in MiB; 0 where the system does not tell. */
  public long peakResidentMib() {
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

  @Override
  public void close() {
    process.end();
  }
}
