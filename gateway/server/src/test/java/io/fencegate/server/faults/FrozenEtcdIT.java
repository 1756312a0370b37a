/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.lab.EtcdNode;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An etcd that accepts connections and never answers, or is not there at all. */
class FrozenEtcdIT extends FaultFixture {

  private static final int CLIENTS = FULL ? 60 : 12;
  private static final Duration PER_CLIENT = Duration.ofMillis(300);
  private static final long TTL_MILLIS = 3_000;

  /** What a lock call may take, and what a crowded machine takes on top. */
  private static final Duration LOCK_BUDGET = Duration.ofSeconds(5 + 2);

  /** What a write may take, and the same on top. */
  private static final Duration WRITE_BUDGET = Duration.ofSeconds(10 + 2);

  /** The calls of all clients at once need a fraction of it; what piles up passes it soon. */
  private static final long MAX_GROWTH_BYTES = 16L << 20;

  private final AtomicBoolean frozen = new AtomicBoolean();
  private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Set<String> owned = ConcurrentHashMap.newKeySet();

  private record Call(String kind, boolean inTheFrost, Answer answer, Duration took) {
    boolean isWithin(Duration budget) {
      return took.compareTo(budget) <= 0;
    }
  }

  private Answer timed(String kind, Supplier<Answer> call) {
    boolean startedFrozen = frozen.get();
    long startNanos = System.nanoTime();
    Answer answer = call.get();
    Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
    calls.add(new Call(kind, startedFrozen && frozen.get(), answer, took));
    return answer;
  }

  /** Acquires, writes, renews and releases in turn, each its own resources. */
  private void work(int client, AtomicBoolean enough) {
    Worker worker = worker(0);
    for (int i = 0; !enough.get(); i++) {
      String resource = "jobs/c" + client + "-" + i;
      Answer acquired = timed("acquire", () -> worker.tryAcquire(resource, TTL_MILLIS));
      if (acquired.status() == 200) {
        Lock lock = ApiClient.lock(acquired);
        owned.add(lock.leaseId());
        timed("write", () -> worker.write(lock, "x"));
        lasting(PER_CLIENT);
        timed("renew", () -> worker.renew(lock));
        timed("write", () -> worker.write(lock, "y"));
        timed("release", () -> worker.release(lock));
      }
    }
  }

  @Test
  void underLoadEveryCallIsAnsweredInItsTimeAndWhoWasToldNoHoldsNothingAfterTheThaw()
      throws IOException {
    etcd(1);
    gateway(EtcdSettings.of(etcd.endpoints()));
    AtomicBoolean enough = new AtomicBoolean();
    List<CompletableFuture<Void>> clients =
        IntStream.range(0, CLIENTS)
            .mapToObj(client -> CompletableFuture.runAsync(() -> work(client, enough), threads))
            .toList();
    eventually(() -> calls.stream().filter(call -> call.kind().equals("release")).count() > 20);
    long usedBefore = usedHeap();
    etcd.node(0).pause();
    frozen.set(true);
    lasting(seconds(8, 30));
    assertThat(usedHeap() - usedBefore)
        .as("bytes that calls without an answer hold")
        .isLessThan(MAX_GROWTH_BYTES);
    frozen.set(false);
    etcd.node(0).resume();
    int atTheThaw = calls.size();
    within(
        HEALED,
        () -> calls.stream().skip(atTheThaw).anyMatch(call -> call.answer().status() == 200));
    enough.set(true);
    CompletableFuture.allOf(clients.toArray(CompletableFuture[]::new)).join();
    assertThat(calls)
        .allSatisfy(
            call ->
                assertThat(call.isWithin(call.kind().equals("write") ? WRITE_BUDGET : LOCK_BUDGET))
                    .as("answered in time: %s", call)
                    .isTrue());
    assertThat(calls.stream().filter(Call::inTheFrost))
        .as("nothing that needs the coordinator is granted without it")
        .isNotEmpty()
        .filteredOn(call -> !call.kind().equals("write"))
        .allSatisfy(call -> assertThat(call.answer().status()).isIn(503, 504));
    eventually(() -> locksInEtcd() == 0);
  }

  /** What is in use after a collection. */
  private static long usedHeap() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }

  private long locksInEtcd() {
    return etcd.etcdctl("get", "--prefix", "--keys-only", EtcdGateway.PREFIX + "/lock/")
        .lines()
        .filter(line -> !line.isBlank())
        .count();
  }

  @Test
  void whicheverNodeFreezesTrafficMovesToTheOthersWithinSeconds() throws IOException {
    etcd(3);
    gateway(EtcdSettings.of(etcd.endpoints()));
    Worker worker = worker(0);
    Lock kept = worker.lock("jobs/kept", 30_000);
    int round = 0;
    for (EtcdNode node : etcd.nodes()) {
      String resource = "jobs/round-" + round++;
      node.pause();
      within(HEALED, () -> worker.tryAcquire(resource, TTL_MILLIS).status() == 200);
      within(HEALED, () -> worker.renew(kept).status() == 200);
      within(HEALED, () -> worker.write(kept, "x").status() == 200);
      node.resume();
      etcd.awaitHealthy();
    }
  }

  @Test
  void aGatewayThatStartsWithoutEtcdIsAliveUnreadyAndReadyOnceItIsThere() throws IOException {
    etcd(1);
    etcd.node(0).kill();
    EtcdGateway gateway = unreadyGateway(EtcdSettings.of(etcd.endpoints()));
    assertThat(gateway.operator().get("/livez").status()).isEqualTo(200);
    Answer ready = gateway.operator().get("/readyz");
    assertThat(ready.status()).isEqualTo(503);
    assertThat(ready.body()).contains("no session was opened yet");
    Answer refused = worker(0).tryAcquire("jobs/a", TTL_MILLIS);
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.json().getString("outcome")).isEqualTo("rejected");
    etcd.startAll();
    within(HEALED, () -> isReady(gateway));
    assertThat(worker(0).tryAcquire("jobs/a", TTL_MILLIS).status()).isEqualTo(200);
  }
}
