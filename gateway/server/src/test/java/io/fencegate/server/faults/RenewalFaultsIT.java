/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A holder renews while etcd restarts, stays away, freezes or takes the lease away. */
class RenewalFaultsIT extends FaultFixture {

  private static final long LONG_TTL_MILLIS = 10_000;
  private static final long SHORT_TTL_MILLIS = 2_000;

  /** A lease in etcd lives up to this much longer than what its holder is promised. */
  private static final Duration LEASE_ON_TOP = Duration.ofSeconds(1);

  private static final Duration RENEW_EVERY = Duration.ofMillis(300);

  private Worker holder;
  private Worker other;

  @BeforeEach
  void start() throws IOException {
    etcd(1);
    gateway(EtcdSettings.of(etcd.endpoints()));
    gateway(EtcdSettings.of(etcd.endpoints()));
    holder = worker(0);
    other = worker(1);
  }

  /** What a holder was answered, and whether it could still believe when it asked. */
  private record Told(boolean afterItsEnd, Answer answer) {}

  private List<Told> keepRenewing(Lock lock) {
    List<Told> told = new CopyOnWriteArrayList<>();
    keepDoing(
        RENEW_EVERY,
        () -> {
          boolean over = System.nanoTime() > history.untilNanos(lock.leaseId());
          told.add(new Told(over, holder.renew(lock)));
        });
    return told;
  }

  @Test
  void aRestartOfEtcdThatIsShorterThanTheLeaseKeepsTheLockWithItsLeaseAndToken() {
    Lock lock = holder.lock("jobs/a", LONG_TTL_MILLIS);
    List<Told> told = keepRenewing(lock);
    etcd.node(0).kill();
    lasting(seconds(1.5, 3));
    etcd.startAll();
    int before = told.size();
    within(
        HEALED,
        () -> told.stream().skip(before).anyMatch(renewal -> renewal.answer().status() == 200));
    assertThat(told).noneMatch(renewal -> renewal.answer().status() == 409);
    assertThat(other.tryAcquire("jobs/a", SHORT_TTL_MILLIS).code()).isEqualTo("lock-held");
    assertThat(other.show("jobs/a").getString("fencingToken")).isEqualTo(lock.token());
    within(HEALED, () -> holder.write(lock, "x").status() == 200);
  }

  @Test
  void whileEtcdIsAwayNoRenewalIsConfirmedAndNothingIsWrittenPastTheLease() {
    Lock lock = holder.lock("jobs/a", SHORT_TTL_MILLIS);
    long etcdsEndNanos = etcdsEndNanos();
    assertThat(holder.write(lock, "first").status()).isEqualTo(200);
    etcd.node(0).kill();
    assertNothingWorksPastTheEnd(lock, etcdsEndNanos, seconds(4, 15));
    etcd.startAll();
    assertHeldByOneAtMost(lock);
  }

  @Test
  void whileEtcdIsFrozenNoRenewalIsConfirmedAndNothingIsWrittenPastTheLease() {
    Lock lock = holder.lock("jobs/a", SHORT_TTL_MILLIS);
    long etcdsEndNanos = etcdsEndNanos();
    assertThat(holder.write(lock, "first").status()).isEqualTo(200);
    etcd.node(0).pause();
    assertNothingWorksPastTheEnd(lock, etcdsEndNanos, seconds(4, 15));
    etcd.node(0).resume();
    assertHeldByOneAtMost(lock);
  }

  /** Of a short lease that was granted before now. */
  private static long etcdsEndNanos() {
    return System.nanoTime() + Duration.ofMillis(SHORT_TTL_MILLIS).plus(LEASE_ON_TOP).toNanos();
  }

  /**
   * @param etcdsEndNanos when the lease is over in etcd at the latest, unless etcd restarts
   */
  private void assertNothingWorksPastTheEnd(Lock lock, long etcdsEndNanos, Duration outage) {
    List<Told> told = keepRenewing(lock);
    lasting(Duration.ofNanos(etcdsEndNanos - System.nanoTime()));
    Answer write = holder.write(lock, "past the end");
    assertThat(write.status()).as(write.toString()).isIn(412, 503);
    assertThat(write.json().getString("outcome")).isEqualTo("rejected");
    lasting(outage);
    eventually(() -> told.stream().anyMatch(Told::afterItsEnd));
    assertThat(told)
        .as("nothing was there to confirm a renewal")
        .noneMatch(renewal -> renewal.answer().status() == 200);
  }

  /** etcd may have kept the lease; whoever has it then has it alone. */
  private void assertHeldByOneAtMost(Lock lock) {
    within(HEALED, () -> List.of(200, 409).contains(holder.renew(lock).status()));
    Answer renewed = holder.renew(lock);
    if (renewed.status() == 200) {
      assertThat(other.tryAcquire("jobs/a", SHORT_TTL_MILLIS).code()).isEqualTo("lock-held");
    } else {
      assertThat(renewed.code()).isEqualTo("lease-lost");
      Lock next = other.lock("jobs/a", SHORT_TTL_MILLIS);
      assertThat(Long.parseLong(next.token())).isGreaterThan(Long.parseLong(lock.token()));
    }
  }

  @Test
  void aLeaseThatIsRevokedInEtcdIsLostAtTheNextRenewalAndNeverComesBack() {
    Lock lock = holder.lock("jobs/a", LONG_TTL_MILLIS);
    assertThat(holder.write(lock, "first").status()).isEqualTo(200);
    etcd.etcdctl("lease", "revoke", etcdLease());
    Answer renewed = holder.renew(lock);
    assertThat(renewed.code()).as(renewed.toString()).isEqualTo("lease-lost");
    assertThat(renewed.json().containsKey("expiresAt")).isFalse();
    Lock next = other.lock("jobs/a", LONG_TTL_MILLIS);
    assertThat(Long.parseLong(next.token())).isGreaterThan(Long.parseLong(lock.token()));
    assertThat(holder.renew(lock).code()).isEqualTo("lease-lost");
    Answer write = holder.write(lock, "late");
    assertThat(write.status()).as(write.toString()).isEqualTo(412);
  }

  /** The lease that the only lock is on, as etcdctl wants it. */
  private String etcdLease() {
    String json =
        etcd.etcdctl("get", "--prefix", "--write-out=json", EtcdGateway.PREFIX + "/lock/");
    JsonObject lock = new JsonObject(json).getJsonArray("kvs").getJsonObject(0);
    return Long.toHexString(lock.getLong("lease"));
  }

  @Test
  void aRenewalOfALeaseThatIsOverIsAnsweredAsLostAndNeverWithAnEnd() {
    Lock lock = holder.lock("jobs/a", SHORT_TTL_MILLIS);
    eventually(() -> !other.isHeld("jobs/a"));
    for (Worker worker : workers) {
      Answer renewed = worker.renew(lock);
      assertThat(renewed.code()).as(renewed.toString()).isEqualTo("lease-lost");
      assertThat(renewed.json().fieldNames()).doesNotContain("expiresAt", "remainingMs");
    }
  }
}
