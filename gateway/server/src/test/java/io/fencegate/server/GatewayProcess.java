/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A gateway in a process of its own, from the jar that operators run. */
public final class GatewayProcess implements AutoCloseable {

  private static final Path JAR = Path.of("target", "fencegate.jar").toAbsolutePath();

  private final Process process;
  private final int workerPort;
  private final int operatorPort;

  private GatewayProcess(Process process, int workerPort, int operatorPort) {
    this.process = process;
    this.workerPort = workerPort;
    this.operatorPort = operatorPort;
  }

  /** Starts in a folder that keeps its data; answers when it is ready. */
  public static GatewayProcess start(Path folder, String policies) throws IOException {
    return start(folder, policies, "{ type: embedded, dataDir: data }");
  }

  /** The same with a coordinator, as the server file says it. */
  public static GatewayProcess start(Path folder, String policies, String coordinator)
      throws IOException {
    int workerPort = freePort();
    int operatorPort = freePort();
    Files.createDirectories(folder.resolve("policies"));
    Files.writeString(folder.resolve("policies/test.yaml"), policies);
    Path config = folder.resolve("fencegate.yaml");
    Files.writeString(
        config,
        """
        worker: { host: 127.0.0.1, port: %d }
        operator: { host: 127.0.0.1, port: %d }
        coordinator: %s
        policies: policies/
        audit: { file: audit.jsonl }
        """
            .formatted(workerPort, operatorPort, coordinator));
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process process =
        new ProcessBuilder(
                List.of(
                    java.toString(),
                    "-jar",
                    JAR.toString(),
                    "serve",
                    "--config",
                    config.toString()))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log.txt").toFile()))
            .start();
    GatewayProcess gateway = new GatewayProcess(process, workerPort, operatorPort);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> gateway.isReady() || !process.isAlive());
    if (!process.isAlive()) {
      throw new IllegalStateException(Files.readString(folder.resolve("log.txt")));
    }
    return gateway;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private boolean isReady() {
    try {
      return operator().get("/readyz").status() == 200;
    } catch (RuntimeException notYet) {
      return false;
    }
  }

  public int workerPort() {
    return workerPort;
  }

  public ApiClient worker() {
    return new ApiClient(workerPort);
  }

  public ApiClient operator() {
    return new ApiClient(operatorPort);
  }

  /** Ends it without a chance to do anything. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** SIGSTOP: its connections stay open and nothing happens on them. */
  public void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** SIGCONT after {@link #pause()}; nothing where it has ended. */
  public void resume() throws IOException, InterruptedException {
    if (process.isAlive()) {
      signal("CONT");
    }
  }

  private void signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, process.pid() + "").start();
    if (kill.waitFor() != 0) {
      throw new IllegalStateException("kill -" + name + " failed");
    }
  }

  /** Asks it to end and waits until it has; answers its exit code. */
  public int terminate() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("the gateway did not end after SIGTERM");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
