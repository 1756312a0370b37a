/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import io.fencegate.loadtest.measure.Await;
import io.fencegate.loadtest.measure.MeasuredProcess;
import io.fencegate.loadtest.measure.MeasurementFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** An nginx with a configuration and a folder of its own, on a free port of 127.0.0.1. */
final class NginxProcess implements AutoCloseable {

  /** A port that was free may be taken by somebody else before nginx has it. */
  private static final int ATTEMPTS = 3;

  private final MeasuredProcess process;
  private final int port;

  private NginxProcess(MeasuredProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts it and waits until it takes connections.
   *
   * @param core the processor that it runs on
   * @param config its configuration for a port
   */
  static NginxProcess start(Path directory, int core, IntFunction<String> config) {
    for (int attempt = 1; ; attempt++) {
      try {
        return startOnce(directory, core, config);
      } catch (MeasurementFailure e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static NginxProcess startOnce(Path directory, int core, IntFunction<String> config) {
    int port = freePort();
    try {
      Files.createDirectories(directory);
      Files.writeString(directory.resolve("nginx.conf"), config.apply(port));
    } catch (IOException e) {
      throw new MeasurementFailure("cannot write nginx's configuration", e);
    }
    List<String> command = new ArrayList<>(Cores.pinnedTo(core));
    command.addAll(List.of("nginx", "-p", directory.toString(), "-c", "nginx.conf"));
    MeasuredProcess process =
        MeasuredProcess.start(command, directory, directory.resolve("nginx.log"));
    try {
      Await.ready(process, "nginx", () -> takesConnections(port));
    } catch (MeasurementFailure e) {
      process.end();
      throw e;
    }
    return new NginxProcess(process, port);
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new MeasurementFailure("no port is free", e);
    }
  }

  private static boolean takesConnections(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Which nginx is installed, as it says itself. */
  static String version(Path directory) {
    Path log = directory.resolve("nginx-version.log");
    MeasuredProcess asked = MeasuredProcess.start(List.of("nginx", "-v"), directory, log);
    String said = asked.wholeOutput();
    asked.end();
    try {
      return (said + Files.readString(log)).strip().replaceFirst("^nginx version: ", "");
    } catch (IOException e) {
      throw new MeasurementFailure("nginx does not tell its version", e);
    }
  }

  int port() {
    return port;
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.end();
  }
}
