/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import io.fencegate.coordination.etcd.EtcdSettings;
import java.util.function.Function;

/** Where locks and epochs are kept. */
public sealed interface CoordinatorConfig {

  /** The prefix of all keys where nobody says another one. */
  String DEFAULT_PREFIX = "fencegate";

  /** In the data directory, for one gateway. */
  record Embedded() implements CoordinatorConfig {}

  /** In an etcd that gateways share. */
  record Etcd(EtcdSettings settings, String prefix) implements CoordinatorConfig {}

  default <R> R fold(Function<Embedded, R> embedded, Function<Etcd, R> etcd) {
    return this instanceof Etcd shared ? etcd.apply(shared) : embedded.apply((Embedded) this);
  }

  /** What every key of this gateway starts with. */
  default String keyPrefix() {
    return fold(embedded -> DEFAULT_PREFIX, Etcd::prefix);
  }
}
