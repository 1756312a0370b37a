/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.lab.EtcdNode;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The time of a lease is etcd's: no stalled leader and no local timer shortens or extends it. */
class LeaseTimeIT extends FaultFixture {

  private static final Duration RENEW_EVERY = Duration.ofMillis(200);

  private CompletableFuture<Answer> waits(Worker worker, String resource, long ttlMillis) {
    return inBackground(() -> worker.acquire(Worker.request(resource, ttlMillis, 50_000)));
  }

  @Test
  void aLeaderThatFreezesWhileAHolderRenewsNeitherExtendsALeaseNorMakesASecondHolder()
      throws IOException {
    etcd(3);
    gateway(EtcdSettings.of(etcd.endpoints()));
    gateway(EtcdSettings.of(etcd.endpoints()));
    long ttlMillis = FULL ? 10_000 : 3_000;
    Lock lock = worker(0).lock("jobs/a", ttlMillis);
    CompletableFuture<Answer> other = waits(worker(1), "jobs/a", ttlMillis);
    eventually(() -> worker(0).show("jobs/a").getInteger("waiters") == 1);
    keepDoing(RENEW_EVERY, () -> worker(0).renew(lock));
    EtcdNode leader = etcd.leader();
    leader.pause();
    lasting(Duration.ofMillis(2 * ttlMillis));
    leader.resume();
    etcd.awaitHealthy();
    if (other.isDone()) {
      assertThat(worker(0).renew(lock).code()).isEqualTo("lease-lost");
    } else {
      within(HEALED, () -> worker(0).renew(lock).status() == 200 || other.isDone());
    }
    worker(0).release(lock);
    Answer granted = other.orTimeout(HEALED.toSeconds(), TimeUnit.SECONDS).join();
    assertThat(granted.status()).as(granted.toString()).isEqualTo(200);
    assertThat(Long.parseLong(ApiClient.lock(granted).token()))
        .isGreaterThan(Long.parseLong(lock.token()));
    assertThat(worker(0).renew(lock).code()).isEqualTo("lease-lost");
  }

  @Test
  void whoWaitsOverARestartOfEtcdIsGrantedLateRatherThanEarly() throws IOException {
    etcd(1);
    gateway(EtcdSettings.of(etcd.endpoints()));
    gateway(EtcdSettings.of(etcd.endpoints()));
    Lock lock = worker(0).lock("jobs/a", 5_000);
    CompletableFuture<Answer> other = waits(worker(1), "jobs/a", 5_000);
    eventually(() -> worker(1).show("jobs/a").getInteger("waiters") == 1);
    lasting(
        Duration.ofNanos(history.untilNanos(lock.leaseId()) - System.nanoTime()).minusSeconds(2));
    etcd.node(0).kill();
    etcd.startAll();
    Answer granted = other.orTimeout(40, TimeUnit.SECONDS).join();
    assertThat(granted.status()).as(granted.toString()).isEqualTo(200);
    assertThat(System.nanoTime()).isGreaterThan(history.untilNanos(lock.leaseId()));
    assertThat(Long.parseLong(ApiClient.lock(granted).token()))
        .isGreaterThan(Long.parseLong(lock.token()));
    assertThat(worker(0).renew(lock).code()).isEqualTo("lease-lost");
  }

  @Test
  void leaseTimesThatEtcdWouldBendAreRefusedAndTheGrantedOneIsSaid() throws IOException {
    etcd(1);
    gateway(EtcdSettings.of(etcd.endpoints()));
    for (long ttlMillis : new long[] {1, 1_000, 1_999, 0, -1, 10_000_000_000L, Long.MAX_VALUE}) {
      Answer refused = worker(0).tryAcquire("jobs/a", ttlMillis);
      assertThat(refused.status()).as(ttlMillis + ": " + refused).isEqualTo(400);
    }
    Answer granted = worker(0).tryAcquire("jobs/a", 2_001);
    assertThat(granted.json().getLong("leaseTtlMs")).isEqualTo(3_000);
    assertThat(granted.json().getLong("remainingMs")).isBetween(1L, 3_000L);
  }
}
