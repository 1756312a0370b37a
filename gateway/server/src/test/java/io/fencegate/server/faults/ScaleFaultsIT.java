/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.GatewayProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Thousands of held locks, and gateways that are paused or killed under them. */
class ScaleFaultsIT extends FaultFixture {

  private static final int LOCKS = FULL ? 20_000 : 2_000;
  private static final int CLIENTS = FULL ? 64 : 16;

  /** A round of renewals of all locks takes a fraction of it. */
  private static final Duration ROUNDS = seconds(40, 150);

  /** Far more than buckets of some seconds, and far fewer than locks. */
  private static final int MAX_ETCD_LEASES = 200;

  private boolean requestsEnd;

  @Override
  boolean remembersRequests() {
    return !requestsEnd;
  }

  private GatewayProcess process() throws IOException {
    Path own = folder.resolve("process");
    Files.createDirectories(own);
    String coordinator =
        "{ type: etcd, endpoints: [\"%s\"], prefix: %s }"
            .formatted(etcd.node(0).endpoint(), EtcdGateway.PREFIX);
    GatewayProcess process = closing(GatewayProcess.start(own, POLICIES, coordinator));
    workers.add(new Worker("process", process.worker(), history));
    return process;
  }

  /**
   * Renewals in turns. A lease that is over although its holder was promised more is a defect; one
   * that its holder came too late for, on a crowded machine, is not; a 503 is asked again.
   *
   * <p>Turns are spread, so that each lock is renewed once per round.
   */
  private final class Renewals {
    private final ConcurrentLinkedQueue<Answer> brokenPromises = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Answer> notRenewed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger renewed = new AtomicInteger();
    private final ConcurrentLinkedQueue<Long> tookMillis = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean enough = new AtomicBoolean();
    private final List<CompletableFuture<Void>> clients = new ArrayList<>();

    Renewals(Worker worker, List<Lock> locks, Duration every) {
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        List<Lock> mine =
            IntStream.range(0, locks.size())
                .filter(index -> index % CLIENTS == client)
                .mapToObj(locks::get)
                .toList();
        clients.add(CompletableFuture.runAsync(() -> renew(worker, mine, every), threads));
      }
    }

    private void renew(Worker worker, List<Lock> mine, Duration every) {
      while (!enough.get()) {
        long startNanos = System.nanoTime();
        for (Lock lock : mine) {
          if (enough.get()) {
            return;
          }
          renew(worker, lock);
        }
        long restNanos = every.toNanos() - (System.nanoTime() - startNanos);
        lasting(Duration.ofNanos(Math.max(0, restNanos)));
      }
    }

    private void renew(Worker worker, Lock lock) {
      long promisedNanos = history.untilNanos(lock.leaseId());
      long sentNanos = System.nanoTime();
      Answer answer = worker.renew(lock);
      long receivedNanos = System.nanoTime();
      tookMillis.add((receivedNanos - sentNanos) / 1_000_000);
      if (answer.status() == 200) {
        renewed.incrementAndGet();
      } else if ("lease-lost".equals(answer.code()) && receivedNanos < promisedNanos) {
        brokenPromises.add(answer);
      } else {
        notRenewed.add(answer);
      }
    }

    int count() {
      return renewed.get();
    }

    long percentileMillis(double share) {
      List<Long> sorted = tookMillis.stream().sorted().toList();
      return sorted.get((int) Math.min(sorted.size() - 1L, Math.round(share * sorted.size())));
    }

    void stop() {
      enough.set(true);
      CompletableFuture.allOf(clients.toArray(CompletableFuture[]::new)).join();
    }
  }

  private List<Lock> lockMany(Worker worker, String name, int count, long ttlMillis) {
    List<CompletableFuture<List<Lock>>> coming =
        IntStream.range(0, CLIENTS)
            .mapToObj(
                client ->
                    inBackground(
                        () ->
                            IntStream.range(0, count)
                                .filter(i -> i % CLIENTS == client)
                                .mapToObj(i -> worker.lock(name + i, ttlMillis))
                                .toList()))
            .toList();
    return coming.stream().map(CompletableFuture::join).flatMap(List::stream).toList();
  }

  @Test
  void thousandsOfRenewedLocksOutliveAPauseOfTheirGatewayAndCostEtcdAFewLeases() throws Exception {
    etcd(1);
    GatewayProcess gateway = process();
    List<Lock> locks = lockMany(worker(0), "jobs/many-", LOCKS, 30_000);
    Renewals renewals = new Renewals(worker(0), locks, seconds(5, 10));
    within(ROUNDS, () -> renewals.count() >= LOCKS);
    gateway.pause();
    lasting(seconds(5, 12));
    gateway.resume();
    int before = renewals.count();
    within(ROUNDS, () -> renewals.count() >= before + 2 * LOCKS);
    renewals.stop();
    assertThat(renewals.brokenPromises).isEmpty();
    assertThat(etcd.etcdctl("lease", "list").lines().count()).isLessThan(MAX_ETCD_LEASES);
    System.out.printf(
        "figures: %d locks, %d renewals, %d not renewed, p50 %d ms, p99 %d ms, longest %d ms%n",
        LOCKS,
        renewals.count(),
        renewals.notRenewed.size(),
        renewals.percentileMillis(0.5),
        renewals.percentileMillis(0.99),
        renewals.percentileMillis(1));
  }

  @Test
  void theLocksOfAKilledGatewaysWorkersEndTogetherWithoutHurtingOthers() throws Exception {
    etcd(1);
    gateway(EtcdSettings.of(etcd.endpoints()));
    gateway(EtcdSettings.of(etcd.endpoints()));
    GatewayProcess doomed = process();
    int each = LOCKS / 4;
    List<Lock> lost = lockMany(worker(2), "jobs/lost-", each, 8_000);
    List<Lock> kept = lockMany(worker(0), "jobs/kept-", each, 30_000);
    doomed.kill();
    workers.remove(2);
    Renewals renewals = new Renewals(worker(1), kept, seconds(4, 8));
    eventually(() -> keysInEtcd("lock", "lost-") == 0);
    int before = renewals.count();
    eventually(() -> renewals.count() >= before + each);
    renewals.stop();
    assertThat(renewals.brokenPromises).isEmpty();
    assertThat(renewals.percentileMillis(0.99)).as("p99, ms").isLessThan(5_000);
    for (Lock old : lost.subList(0, 50)) {
      Lock next = worker(0).lock(old.resource(), 20_000);
      assertThat(Long.parseLong(next.token())).isGreaterThan(Long.parseLong(old.token()));
      assertThat(worker(1).renew(old).code()).isEqualTo("lease-lost");
    }
    System.out.printf(
        "figures: %d locks ended, %d renewals of others, p50 %d ms, p99 %d ms%n",
        each, renewals.count(), renewals.percentileMillis(0.5), renewals.percentileMillis(0.99));
  }

  /** The gateway's own records end with their leases, which etcd takes apart by itself. */
  @Test
  void thousandsOfOldRequestsAreForgottenTogetherWithoutHurtingOthers() throws Exception {
    requestsEnd = true;
    etcd(1);
    gateway(EtcdSettings.of(etcd.endpoints()));
    List<Lock> kept = lockMany(worker(0), "jobs/kept-", LOCKS / 4, 60_000);
    Renewals renewals = new Renewals(worker(0), kept, seconds(4, 8));
    List<Lock> done = lockMany(worker(0), "brief/done-", LOCKS / 2, 30_000);
    assertThat(keysInEtcd("req", "done-")).isPositive();
    done.forEach(worker(0)::release);
    within(Duration.ofSeconds(90), () -> keysInEtcd("req", "done-") == 0);
    renewals.stop();
    assertThat(renewals.brokenPromises).isEmpty();
    assertThat(renewals.percentileMillis(0.99)).as("p99, ms").isLessThan(5_000);
    System.out.printf(
        "figures: %d requests forgotten, %d renewals of others, p50 %d ms, p99 %d ms%n",
        LOCKS / 2,
        renewals.count(),
        renewals.percentileMillis(0.5),
        renewals.percentileMillis(0.99));
  }

  private long keysInEtcd(String kind, String name) {
    return etcd.etcdctl("get", "--prefix", "--keys-only", EtcdGateway.PREFIX + "/" + kind + "/")
        .lines()
        .filter(line -> line.contains(name))
        .count();
  }
}
