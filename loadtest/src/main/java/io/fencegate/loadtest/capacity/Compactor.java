/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdNode;
import io.fencegate.loadtest.measure.Pauses;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forgets all history but the last moments, again and again, as operators let etcd do it. */
final class Compactor implements AutoCloseable {

  private static final long PAUSE_MILLIS = 20_000;

  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);

  private final EtcdCluster etcd;
  private final AtomicInteger done = new AtomicInteger();
  private final Thread thread = new Thread(this::compactAgainAndAgain, "compactor");
  private volatile boolean ended;

  private Compactor(EtcdCluster etcd) {
    this.etcd = etcd;
  }

  static Compactor start(EtcdCluster etcd) {
    Compactor compactor = new Compactor(etcd);
    compactor.thread.setDaemon(true);
    compactor.thread.start();
    return compactor;
  }

  /** Compactions so far. */
  int done() {
    return done.get();
  }

  private void compactAgainAndAgain() {
    while (!ended) {
      try {
        Pauses.millis(PAUSE_MILLIS);
        compact();
      } catch (RuntimeException e) {
        if (!ended) {
          LOG.warn("a compaction did not work: {}", e.getMessage());
        }
      }
    }
  }

  private void compact() {
    EtcdNode node = etcd.nodes().stream().filter(EtcdNode::isHealthy).findFirst().orElseThrow();
    long revision = (long) node.metric("etcd_debugging_mvcc_current_revision");
    etcd.etcdctl(node, "compaction", Long.toString(revision));
    done.incrementAndGet();
  }

  @Override
  public void close() {
    ended = true;
    thread.interrupt();
  }
}
