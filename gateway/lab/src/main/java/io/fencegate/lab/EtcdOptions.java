/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a cluster is started.
 *
 * @param nodes 1 to 5, usually 1 or 3
 * @param flags further flags of etcd, such as {@code --auth-token-ttl=2}
 * @param tls where clients must use TLS and show a certificate of the same CA
 */
public record EtcdOptions(int nodes, List<String> flags, Optional<TlsFiles> tls) {

  private static final int MAX_NODES = 5;

  public EtcdOptions {
    if (nodes < 1 || nodes > MAX_NODES) {
      throw new IllegalArgumentException(nodes + " nodes, expected 1 to " + MAX_NODES);
    }
    flags = List.copyOf(flags);
  }

  public static EtcdOptions ofNodes(int nodes) {
    return new EtcdOptions(nodes, List.of(), Optional.empty());
  }

  public EtcdOptions withFlags(String... more) {
    List<String> all = new ArrayList<>(flags);
    all.addAll(List.of(more));
    return new EtcdOptions(nodes, all, tls);
  }

  /** Seconds that a login of etcd lives without being used, 1 or more; etcd's default is 300. */
  public EtcdOptions withAuthTokenTtlSeconds(int seconds) {
    return withFlags("--auth-token-ttl=" + seconds);
  }

  /** Size of the database above which etcd raises its space alarm. */
  public EtcdOptions withQuotaBytes(long bytes) {
    return withFlags("--quota-backend-bytes=" + bytes);
  }

  public EtcdOptions withTls(TlsFiles files) {
    return new EtcdOptions(nodes, flags, Optional.of(files));
  }
}
