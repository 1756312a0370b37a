/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.ThreadLocalRandom;

/** Opens stores with the machine's clocks and chance. */
final class EtcdStores {

  private static final Clocks CLOCKS =
      () -> new ClockReading(System.nanoTime(), System.currentTimeMillis());

  private EtcdStores() {}

  static Future<CoordinationStore> open(Vertx vertx, EtcdSettings settings) {
    return EtcdStore.open(vertx, settings, CLOCKS, () -> ThreadLocalRandom.current().nextDouble());
  }
}
