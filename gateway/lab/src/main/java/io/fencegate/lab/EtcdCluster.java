/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One or more etcd processes on free ports of 127.0.0.1 with data in a temporary directory. Every
 * process ends on {@link #close()}, and with this JVM at the latest. Methods block until what they
 * say is done, and fail with {@link LabException}.
 */
public final class EtcdCluster implements AutoCloseable {

  private static final Duration HEALTHY_PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(30);

  /** Ports are chosen before the processes take them; another process may be quicker. */
  private static final int MAX_STARTS = 5;

  private final EtcdLayout layout;
  private final List<EtcdNode> nodes;

  private EtcdCluster(EtcdLayout layout) {
    this.layout = layout;
    this.nodes =
        IntStream.range(0, layout.options().nodes())
            .mapToObj(index -> new EtcdNode(layout, index))
            .toList();
  }

  /** A healthy cluster of this many nodes. */
  public static EtcdCluster start(int nodes) {
    return start(EtcdOptions.ofNodes(nodes));
  }

  /** A healthy cluster. */
  public static EtcdCluster start(EtcdOptions options) {
    Path directory = Directories.temporary();
    for (int i = 1; ; i++) {
      EtcdCluster cluster = new EtcdCluster(EtcdLayout.choose(options, directory));
      try {
        cluster.startAll();
        return cluster;
      } catch (LabException e) {
        boolean again = i < MAX_STARTS && cluster.nodes.stream().anyMatch(EtcdNode::lostItsPort);
        cluster.killAll();
        if (!again) {
          Directories.delete(directory);
          throw e;
        }
        cluster.nodes.forEach(EtcdNode::wipe);
      }
    }
  }

  public List<EtcdNode> nodes() {
    return nodes;
  }

  public EtcdNode node(int index) {
    return nodes.get(index);
  }

  public List<String> endpoints() {
    return nodes.stream().map(EtcdNode::endpoint).toList();
  }

  /** The node that leads, as the running nodes see it; waits for an election. */
  public EtcdNode leader() {
    List<EtcdNode> leaders = new ArrayList<>();
    awaitThat("one running node leads", () -> hasOneLeader(leaders));
    return leaders.get(0);
  }

  private boolean hasOneLeader(List<EtcdNode> leaders) {
    leaders.clear();
    for (EtcdNode node : nodes) {
      if (node.isHealthy() && node.metric("etcd_server_is_leader") == 1) {
        leaders.add(node);
      }
    }
    return leaders.size() == 1;
  }

  /** A node that does not lead. */
  public EtcdNode follower() {
    EtcdNode leader = leader();
    return nodes.stream()
        .filter(node -> node != leader && node.isRunning())
        .findFirst()
        .orElseThrow(() -> new LabException("a cluster of one node has no follower"));
  }

  /** Returns when every node that was started, and not stopped or killed since, is healthy. */
  public void awaitHealthy() {
    awaitThat(
        "all started nodes are healthy",
        () -> nodes.stream().filter(EtcdNode::isStarted).allMatch(EtcdNode::isHealthy));
  }

  /** Runs etcdctl against all nodes; what it prints. */
  public String etcdctl(String... arguments) {
    return etcdctlAt(endpoints(), arguments);
  }

  /** Runs etcdctl against one node; what it prints. */
  public String etcdctl(EtcdNode node, String... arguments) {
    return etcdctlAt(List.of(node.endpoint()), arguments);
  }

  private String etcdctlAt(List<String> endpoints, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Programs.installed("etcdctl").toString());
    command.add("--endpoints=" + String.join(",", endpoints));
    layout
        .options()
        .tls()
        .ifPresent(
            tls -> {
              command.add("--cacert=" + tls.ca());
              command.add("--cert=" + tls.cert());
              command.add("--key=" + tls.key());
            });
    command.addAll(List.of(arguments));
    return Programs.run(command, Map.of("ETCDCTL_API", "3"));
  }

  /** Forgets the history before {@code revision}. */
  public void compact(long revision) {
    etcdctl("compaction", "--physical", revision + "");
  }

  /** Gives free space back to the file system. */
  public void defragment() {
    nodes.stream().filter(EtcdNode::isRunning).forEach(node -> etcdctl(node, "defrag"));
  }

  /** Saves a running node's state to a file that does not exist yet. */
  public void saveSnapshot(Path file) {
    EtcdNode node =
        nodes.stream()
            .filter(EtcdNode::isHealthy)
            .findFirst()
            .orElseThrow(() -> new LabException("no healthy node to take a snapshot from"));
    etcdctl(node, "snapshot", "save", file.toString());
  }

  /** Replaces all data by a snapshot's, as an operator would: the same cluster and member ids. */
  public void restoreSnapshot(Path file) {
    killAll();
    for (int i = 0; i < nodes.size(); i++) {
      nodes.get(i).wipe();
      List<String> restore =
          new ArrayList<>(
              List.of(
                  Programs.installed("etcdctl").toString(),
                  "snapshot",
                  "restore",
                  file.toString()));
      restore.addAll(layout.membership(i));
      restore.add("--data-dir=" + nodes.get(i).dataDirectory());
      Programs.run(restore, Map.of("ETCDCTL_API", "3"));
    }
    startAll();
  }

  /** Starts anew with no data at all; cluster and member ids are the same as before. */
  public void wipe() {
    killAll();
    nodes.forEach(EtcdNode::wipe);
    startAll();
  }

  public void killAll() {
    nodes.forEach(EtcdNode::kill);
  }

  /** Starts every node that does not run; returns when they are healthy. */
  public void startAll() {
    nodes.stream().filter(node -> !node.isRunning()).forEach(EtcdNode::start);
    awaitHealthy();
  }

  @Override
  public void close() {
    killAll();
    Directories.delete(layout.directory());
  }

  private void awaitThat(String what, BooleanSupplier condition) {
    long startNanos = System.nanoTime();
    while (!condition.getAsBoolean()) {
      Optional<EtcdNode> ended =
          nodes.stream().filter(node -> node.isStarted() && !node.isRunning()).findFirst();
      if (ended.isPresent()) {
        throw ended.get().failure(ended.get().name() + " ended by itself");
      }
      if (System.nanoTime() - startNanos > HEALTHY_PATIENCE.toNanos()) {
        String logs =
            nodes.stream().map(node -> node.failure("").getMessage()).collect(Collectors.joining());
        throw new LabException("not within " + HEALTHY_PATIENCE.toSeconds() + " s: " + what + logs);
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }
}
