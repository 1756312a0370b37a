/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One etcd process of a cluster; keeps its ports and data over restarts. */
public final class EtcdNode {

  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(1);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(PROBE_TIMEOUT).build();

  private final EtcdLayout layout;
  private final int index;
  private final Path log;
  private Optional<ChildProcess> process = Optional.empty();
  private boolean paused;

  EtcdNode(EtcdLayout layout, int index) {
    this.layout = layout;
    this.index = index;
    this.log = layout.directory().resolve(name() + ".log");
  }

  public String name() {
    return layout.name(index);
  }

  /** Where clients connect, such as {@code http://127.0.0.1:20123}. */
  public String endpoint() {
    return layout.clientUrl(index);
  }

  /** The port of {@link #endpoint()} on 127.0.0.1. */
  public int port() {
    return layout.clientPort(index);
  }

  public boolean isRunning() {
    return process.filter(ChildProcess::isAlive).isPresent();
  }

  /** SIGSTOP: it accepts connections and never answers. */
  public synchronized void pause() {
    running().signal("STOP");
    paused = true;
  }

  /** SIGCONT after {@link #pause()}. */
  public synchronized void resume() {
    running().signal("CONT");
    paused = false;
  }

  /** SIGKILL, as by a power cut. */
  public synchronized void kill() {
    process.ifPresent(ChildProcess::kill);
    process = Optional.empty();
    paused = false;
  }

  /** SIGTERM; its clients' connections are closed in order. */
  public synchronized void stop() {
    if (paused) {
      resume();
    }
    process.ifPresent(ChildProcess::stop);
    process = Optional.empty();
  }

  /** Starts it again with the same ports and data; does not wait until it is healthy. */
  public synchronized void restart() {
    kill();
    start();
  }

  synchronized void start() {
    process = Optional.of(ChildProcess.start(command(), log));
  }

  Path dataDirectory() {
    return layout.directory().resolve(name());
  }

  /** Whether it answers and its cluster has a leader and takes proposals. */
  public boolean isHealthy() {
    return isRunning() && probe("/health").filter(body -> body.contains("\"true\"")).isPresent();
  }

  /** The value of one of etcd's own metrics, without labels. */
  public double metric(String name) {
    String all = probe("/metrics").orElseThrow(() -> failure(name() + " shows no metrics"));
    return all.lines()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> Double.valueOf(line.substring(name.length() + 1).strip()))
        .findFirst()
        .orElseThrow(() -> new LabException("etcd has no metric " + name));
  }

  /** Whether it was started and neither stopped nor killed since; it may have ended by itself. */
  boolean isStarted() {
    return process.isPresent();
  }

  /** Whether the last start failed because another process took one of the ports. */
  boolean lostItsPort() {
    return !isRunning() && logTail().contains("address already in use");
  }

  LabException failure(String what) {
    return new LabException(what + "; the end of its log " + log + ":\n" + logTail());
  }

  private String logTail() {
    return process.map(ChildProcess::logTail).orElse("(not started)");
  }

  private ChildProcess running() {
    return process
        .filter(ChildProcess::isAlive)
        .orElseThrow(() -> failure(name() + " does not run"));
  }

  /** The metrics port speaks plain HTTP, whatever clients use. */
  private Optional<String> probe(String path) {
    URI uri = URI.create(layout.metricsUrl(index) + path);
    HttpRequest request = HttpRequest.newBuilder(uri).timeout(PROBE_TIMEOUT).build();
    try {
      return Optional.of(HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body());
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted while asking " + name(), e);
    }
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Programs.installed("etcd").toString());
    command.addAll(layout.flags(index));
    command.add("--data-dir=" + dataDirectory());
    return command;
  }

  void wipe() {
    if (isRunning()) {
      throw new LabException(name() + " runs: stop it before its data is wiped");
    }
    Directories.delete(dataDirectory());
  }
}
