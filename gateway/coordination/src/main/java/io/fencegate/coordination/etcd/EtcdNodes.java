/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.StatusResponse;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All nodes: which cluster they stand for, which one to use, and who waits for one. */
final class EtcdNodes {

  private static final Logger LOG = LoggerFactory.getLogger(EtcdNodes.class);

  private final List<EtcdNode> nodes;
  private final Set<Runnable> waiting = new LinkedHashSet<>();
  private OptionalLong cluster = OptionalLong.empty();

  EtcdNodes(List<URI> endpoints, EtcdNode.Shared shared) {
    EtcdNode.Listener listener = new EtcdNode.Listener(this::judgeClusters, this::wakeAll);
    this.nodes = endpoints.stream().map(it -> new EtcdNode(it, shared, listener)).toList();
  }

  void start() {
    nodes.forEach(EtcdNode::start);
  }

  List<EtcdNode> all() {
    return nodes;
  }

  /** The leader where it is usable, which saves a hop, else any usable node. */
  Optional<EtcdNode> best() {
    Optional<EtcdNode> any = Optional.empty();
    for (EtcdNode node : nodes) {
      if (node.isUsable()) {
        if (node.leads()) {
          return Optional.of(node);
        }
        any = any.isPresent() ? any : Optional.of(node);
      }
    }
    return any;
  }

  /** The best node that is not {@code failed}, or that one where there is no other. */
  Optional<EtcdNode> bestBeside(EtcdNode failed) {
    Optional<EtcdNode> other =
        nodes.stream().filter(it -> it != failed && it.isUsable()).findFirst();
    return other.isPresent() ? other : best();
  }

  /** Lets calls go only to nodes of one cluster; another's may be as alive, but it is not ours. */
  private void judgeClusters() {
    List<Long> told = nodes.stream().flatMap(it -> it.clusterId().stream().boxed()).toList();
    OptionalLong before = cluster;
    cluster = ClusterChoice.of(cluster, told, nodes.size());
    if (before.isPresent() && !before.equals(cluster)) {
      LOG.warn(
          "the etcd endpoints belong to cluster {} now, before to {}",
          hex(cluster.orElseThrow()),
          hex(before.getAsLong()));
    }
    nodes.forEach(node -> node.setForeign(foreign(node)));
  }

  /**
   * Behind one address there may be another cluster from one call to the next. Its answers count
   * for nothing, and nobody is to go on with it before the change was noticed and told.
   */
  void requireOurs(ResponseHeader header) {
    if (cluster.isPresent() && header.getClusterId() != cluster.getAsLong()) {
      throw new IllegalStateException(
          "it comes from cluster "
              + hex(header.getClusterId())
              + ", not from "
              + hex(cluster.getAsLong()));
    }
  }

  private Optional<String> foreign(EtcdNode node) {
    OptionalLong id = node.clusterId();
    if (id.isEmpty() || id.equals(cluster)) {
      return Optional.empty();
    }
    return Optional.of(
        "it belongs to another etcd cluster, "
            + hex(id.getAsLong())
            + cluster.stream().mapToObj(it -> ", not to " + hex(it)).findAny().orElse(""));
  }

  /** As etcdctl shows it. */
  private static String hex(long clusterId) {
    return Long.toHexString(clusterId);
  }

  /** What the nodes say that calls may go to, and those of the same cluster that may soon be. */
  List<StatusResponse> known() {
    return nodes.stream()
        .filter(it -> !it.isForeign())
        .map(EtcdNode::known)
        .flatMap(Optional::stream)
        .toList();
  }

  /** Runs a task as soon as a node is usable. The answer calls it off. */
  Runnable whenUsable(Runnable task) {
    waiting.add(task);
    return () -> waiting.remove(task);
  }

  private void wakeAll() {
    List<Runnable> woken = List.copyOf(waiting);
    waiting.clear();
    woken.forEach(Runnable::run);
  }

  /** Why no node is usable. */
  String trouble() {
    return nodes.stream().map(EtcdNode::troubleText).collect(Collectors.joining("; "));
  }

  void end() {
    waiting.clear();
    nodes.forEach(EtcdNode::end);
  }

  boolean hasEnded() {
    return nodes.stream().allMatch(EtcdNode::hasEnded);
  }
}
