/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A gateway in a process of its own that is killed, paused and started again. Blocking. */
final class CampaignGateway implements AutoCloseable {

  private static final Pattern READY = Pattern.compile("ready: worker (\\S+) operator \\S+");
  private static final int END_SECONDS = 20;
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "campaign-end"));
  }

  private static final String POLICY =
      """
      apiVersion: fencegate/v1
      adapters:
        nowhere: { type: memory }
      resources:
        - name: hot
          match: hot/{number}
          adapter: nowhere
          guarantee: strict
          lease: { ttl: 3s, maxTtl: 10s }
          dedup: { retention: 5m }
          operations:
            note: { sql: "note" }
      """;

  private final Path serverJar;
  private final Path directory;
  private volatile URI worker = URI.create("http://127.0.0.1:1");
  private volatile Process process;

  private CampaignGateway(Path serverJar, Path directory) throws IOException {
    this.serverJar = serverJar;
    this.directory = directory;
    this.process = launch();
  }

  static CampaignGateway start(Path serverJar, Path directory, List<String> endpoints) {
    if (!Files.isReadable(serverJar)) {
      throw new CampaignFailure("there is no server jar at " + serverJar);
    }
    try {
      Files.createDirectories(directory.resolve("policies"));
      Files.writeString(directory.resolve("policies/hot.yaml"), POLICY);
      Files.writeString(
          directory.resolve("fencegate.yaml"),
          """
          worker: { host: 127.0.0.1, port: 0 }
          operator: { host: 127.0.0.1, port: 0 }
          coordinator: { type: etcd, endpoints: [%s], dataDir: data }
          policies: policies/
          audit: { file: audit.jsonl, maxSize: 50MiB, keep: 2 }
          """
              .formatted(String.join(", ", endpoints)));
      return new CampaignGateway(serverJar, directory);
    } catch (IOException e) {
      throw new CampaignFailure("cannot start a gateway in " + directory, e);
    }
  }

  /** Starts the process and waits until it says where it listens. */
  private Process launch() throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process started =
        new ProcessBuilder(
                java.toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-jar",
                serverJar.toString(),
                "serve",
                "--config",
                directory.resolve("fencegate.yaml").toString())
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .start();
    RUNNING.add(started);
    BufferedReader output =
        new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      Matcher said = READY.matcher(line);
      if (said.find()) {
        worker = URI.create(said.group(1));
        return started;
      }
    }
    throw new CampaignFailure("the gateway did not start; see " + log());
  }

  private Path log() {
    return directory.resolve("gateway.log");
  }

  /** Where clients call; another one after each restart. */
  URI worker() {
    return worker;
  }

  /** SIGKILL; returns when it has ended. */
  void kill() {
    try {
      process.destroyForcibly();
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        throw new CampaignFailure("a gateway does not end");
      }
      RUNNING.remove(process);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CampaignFailure("interrupted", e);
    }
  }

  void restart() {
    try {
      process = launch();
    } catch (IOException e) {
      throw new CampaignFailure("cannot start a gateway again", e);
    }
  }

  /** SIGSTOP: connections stay, nothing is answered. */
  void pause() {
    signal("STOP");
  }

  void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      int exit =
          new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
      if (exit != 0) {
        throw new CampaignFailure("kill -" + name + " answered " + exit);
      }
    } catch (IOException e) {
      throw new CampaignFailure("cannot send SIG" + name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CampaignFailure("interrupted", e);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
