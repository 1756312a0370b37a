/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Where a cluster's nodes live.
 *
 * @param ports three for each node: clients, peers, metrics
 */
record EtcdLayout(EtcdOptions options, Path directory, List<Integer> ports) {

  private static final int PORTS_PER_NODE = 3;
  private static final String TOKEN = "fencegate-lab";

  EtcdLayout {
    ports = List.copyOf(ports);
  }

  static EtcdLayout choose(EtcdOptions options, Path directory) {
    return new EtcdLayout(options, directory, Ports.free(options.nodes() * PORTS_PER_NODE));
  }

  String name(int index) {
    return "node" + (index + 1);
  }

  int clientPort(int index) {
    return ports.get(index * PORTS_PER_NODE);
  }

  String clientUrl(int index) {
    return (options.tls().isPresent() ? "https" : "http") + "://127.0.0.1:" + clientPort(index);
  }

  String metricsUrl(int index) {
    return "http://127.0.0.1:" + ports.get(index * PORTS_PER_NODE + 2);
  }

  private String peerUrl(int index) {
    return "http://127.0.0.1:" + ports.get(index * PORTS_PER_NODE + 1);
  }

  /** What makes a node a member of this cluster; the same for a start and for a restore. */
  List<String> membership(int index) {
    String members =
        IntStream.range(0, options.nodes())
            .mapToObj(i -> name(i) + "=" + peerUrl(i))
            .collect(Collectors.joining(","));
    return List.of(
        "--name=" + name(index),
        "--initial-cluster=" + members,
        "--initial-cluster-token=" + TOKEN,
        "--initial-advertise-peer-urls=" + peerUrl(index));
  }

  List<String> flags(int index) {
    List<String> flags = new ArrayList<>(membership(index));
    flags.add("--listen-client-urls=" + clientUrl(index));
    flags.add("--advertise-client-urls=" + clientUrl(index));
    flags.add("--listen-peer-urls=" + peerUrl(index));
    flags.add("--listen-metrics-urls=" + metricsUrl(index));
    flags.add("--logger=zap");
    flags.add("--log-outputs=stderr");
    options
        .tls()
        .ifPresent(
            tls -> {
              flags.add("--client-cert-auth");
              flags.add("--trusted-ca-file=" + tls.ca());
              flags.add("--cert-file=" + tls.cert());
              flags.add("--key-file=" + tls.key());
            });
    flags.addAll(options.flags());
    return flags;
  }
}
