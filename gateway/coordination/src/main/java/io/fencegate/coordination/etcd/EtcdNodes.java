/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** All nodes: which one to use, and who waits for one. */
final class EtcdNodes {

  private final List<EtcdNode> nodes;
  private final Set<Runnable> waiting = new LinkedHashSet<>();

  EtcdNodes(List<URI> endpoints, EtcdNode.Shared shared) {
    this.nodes = endpoints.stream().map(it -> new EtcdNode(it, shared, this::wakeAll)).toList();
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
