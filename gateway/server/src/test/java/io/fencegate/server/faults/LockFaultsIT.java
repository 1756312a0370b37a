/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.GatewayProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One message between a gateway and etcd is lost or late, or one process stands still. */
class LockFaultsIT extends FaultFixture {

  private static final long TTL_MILLIS = 30_000;
  private static final long WAIT_MILLIS = 25_000;
  private static final String RESOURCE = "jobs/a";
  private static final String LOCK_KEY = "lock/jobs%2Fa";

  private FaultProxy proxy;

  /** The first gateway is behind the wire that breaks, the second is not. */
  @BeforeEach
  void startTwoGateways() throws IOException {
    etcd(1);
    proxy = proxy(etcd.node(0));
    gateway(through(proxy).withCallDeadline(Duration.ofSeconds(1)));
    gateway(direct());
  }

  private EtcdSettings direct() {
    return EtcdSettings.of(etcd.endpoints());
  }

  private static Answer answer(CompletableFuture<Answer> coming) {
    return coming.orTimeout(40, TimeUnit.SECONDS).join();
  }

  private CompletableFuture<Answer> waitFor(Worker worker, JsonObject request) {
    int before = worker(1).show(RESOURCE).getInteger("waiters");
    CompletableFuture<Answer> waiting = inBackground(() -> worker.acquire(request));
    eventually(() -> worker(1).show(RESOURCE).getInteger("waiters") == before + 1);
    return waiting;
  }

  private static JsonObject request(long waitMillis) {
    return Worker.request(RESOURCE, TTL_MILLIS, waitMillis);
  }

  private long keys(String folder) {
    return etcd.etcdctl("get", "--prefix", "--keys-only", EtcdGateway.PREFIX + folder)
        .lines()
        .filter(line -> !line.isBlank())
        .count();
  }

  @ParameterizedTest
  @ValueSource(strings = {LOCK_KEY, "LeaseGrant"})
  void aLostReplyWhileALockIsTakenGivesOneGrantOnEitherGateway(String lost) {
    // A connection that is new names its methods in full.
    proxy.reset();
    proxy.swallowRepliesOnceSent(lost);
    JsonObject request = request(0);
    CompletableFuture<Answer> first = inBackground(() -> worker(0).acquire(request));
    eventually(proxy::hasStruck);
    Answer again = worker(1).acquire(request);
    proxy.pass();
    proxy.reset();
    assertThat(again.status()).as(again.toString()).isEqualTo(200);
    Answer told = answer(first);
    assertThat(told.status() == 200 || "unknown".equals(told.json().getString("outcome")))
        .as("never that somebody else holds it: %s", told)
        .isTrue();
    eventually(() -> worker(0).acquire(request).status() == 200);
    assertThat(keys("/lock/")).isEqualTo(1);
    assertThat(worker(1).renew(ApiClient.lock(again)).status()).isEqualTo(200);
  }

  @Test
  void aLostReplyWhileTakingAPlaceGivesOnePlaceAndTheRepeatTheLock() {
    Lock held = worker(1).lock(RESOURCE, TTL_MILLIS);
    JsonObject request = request(WAIT_MILLIS);
    proxy.swallowRepliesOnceSent(request.getString("requestId"));
    CompletableFuture<Answer> first = inBackground(() -> worker(0).acquire(request));
    eventually(proxy::hasStruck);
    CompletableFuture<Answer> again = inBackground(() -> worker(1).acquire(request));
    proxy.pass();
    proxy.reset();
    // The calls take the place over from each other; one of them is left.
    eventually(() -> first.isDone() || again.isDone());
    eventually(() -> worker(1).show(RESOURCE).getInteger("waiters") == 1);
    worker(1).release(held);
    List<Answer> answers = List.of(answer(first), answer(again));
    assertThat(answers).anyMatch(answer -> answer.status() == 200);
    assertThat(answers).noneMatch(answer -> "lock-held".equals(answer.code()));
    assertThat(keys("/wait/")).isZero();
  }

  @Test
  void aLostReplyOfAReleaseFreesTheLockOnceAndNobodyElses() {
    Lock held = worker(0).lock(RESOURCE, TTL_MILLIS);
    proxy.swallowRepliesOnceSent(LOCK_KEY);
    CompletableFuture<Answer> released = inBackground(() -> worker(0).release(held));
    eventually(proxy::hasStruck);
    eventually(() -> keys("/lock/") == 0);
    Lock next = worker(1).lock(RESOURCE, TTL_MILLIS);
    proxy.pass();
    proxy.reset();
    answer(released);
    eventually(() -> worker(0).release(held).status() == 200);
    assertThat(worker(1).renew(next).status()).isEqualTo(200);
    assertThat(worker(1).renew(held).code()).isEqualTo("lease-lost");
  }

  @Test
  void aReleaseThatArrivesAfterTheLeaseRanOutFreesNobodyElsesLock() {
    Lock held = worker(0).lock(RESOURCE, 2_000);
    proxy.holdOnceSent(LOCK_KEY);
    CompletableFuture<Answer> released = inBackground(() -> worker(0).release(held));
    eventually(proxy::hasStruck);
    Answer next = worker(1).acquire(request(WAIT_MILLIS));
    assertThat(next.status()).as(next.toString()).isEqualTo(200);
    proxy.pass();
    answer(released);
    eventually(() -> "lease-lost".equals(worker(0).renew(held).code()));
    assertThat(worker(0).release(held).json().getBoolean("released")).isFalse();
    assertThat(worker(1).renew(ApiClient.lock(next)).status()).isEqualTo(200);
  }

  @Test
  void aWaiterWhoseLeaseIsRevokedIsNeverGrantedAndTheNextIs() {
    Lock held = worker(1).lock(RESOURCE, TTL_MILLIS);
    CompletableFuture<Answer> revoked = waitFor(worker(0), request(WAIT_MILLIS));
    CompletableFuture<Answer> next = waitFor(worker(1), request(WAIT_MILLIS));
    // Its gateway moves the entry to new leases all the time: one has to be hit.
    eventually(
        () -> {
          firstWaitersLease().ifPresent(lease -> etcd.etcdctl("lease", "revoke", lease));
          return revoked.isDone();
        });
    assertThat(answer(revoked).code()).isEqualTo("lease-lost");
    assertThat(next.isDone()).isFalse();
    worker(1).release(held);
    assertThat(answer(next).status()).isEqualTo(200);
  }

  private Optional<String> firstWaitersLease() {
    JsonArray waiting =
        new JsonObject(
                etcd.etcdctl(
                    "get",
                    "--prefix",
                    EtcdGateway.PREFIX + "/wait/",
                    "--sort-by=CREATE",
                    "-w",
                    "json"))
            .getJsonArray("kvs", new JsonArray());
    return waiting.size() < 2
        ? Optional.empty()
        : Optional.of(Long.toHexString(waiting.getJsonObject(0).getLong("lease")));
  }

  @Test
  void aWaiterOfAGatewayThatStandsStillIsPassedOverAndNeverGranted() throws Exception {
    Path own = folder.resolve("process");
    Files.createDirectories(own);
    String coordinator =
        "{ type: etcd, endpoints: [\"%s\"], prefix: %s }"
            .formatted(etcd.node(0).endpoint(), EtcdGateway.PREFIX);
    GatewayProcess process = closing(GatewayProcess.start(own, POLICIES, coordinator));
    Worker frozen = new Worker("process", process.worker(), history);
    Lock held = worker(1).lock(RESOURCE, TTL_MILLIS);
    CompletableFuture<Answer> ghost = waitFor(frozen, request(WAIT_MILLIS));
    CompletableFuture<Answer> next = waitFor(worker(1), request(WAIT_MILLIS));
    process.pause();
    long startNanos = System.nanoTime();
    worker(1).release(held);
    Answer granted = answer(next);
    assertThat(granted.status()).as(granted.toString()).isEqualTo(200);
    eventually(() -> System.nanoTime() - startNanos > TimeUnit.SECONDS.toNanos(8));
    process.resume();
    assertThat(answer(ghost).code()).isEqualTo("lease-lost");
    assertThat(worker(1).renew(ApiClient.lock(granted)).status()).isEqualTo(200);
  }

  @Test
  void aReleaseWhileTheWatchIsOpenedLateWakesTheWaiter() {
    for (int i = 0; i < (FULL ? 20 : 3); i++) {
      Lock held = worker(1).lock(RESOURCE, TTL_MILLIS);
      CompletableFuture<Answer> waiting = waitFor(worker(0), request(WAIT_MILLIS));
      proxy.delay(Duration.ofMillis(500));
      proxy.reset();
      worker(1).release(held);
      Answer granted = answer(waiting.orTimeout(HEALED.toSeconds(), TimeUnit.SECONDS));
      proxy.pass();
      assertThat(granted.status()).as(granted.toString()).isEqualTo(200);
      assertThat(worker(1).release(ApiClient.lock(granted)).status()).isEqualTo(200);
    }
  }

  @Test
  void namesThatLookAlikeAreLocksOfTheirOwnAndMalformedOnesNone() {
    List<String> names =
        List.of("jobs/acct", "jobs/acct1", "jobs/acct10", "jobs/ACCT", "jobs/acc", "jobs/acct~");
    for (String name : names) {
      assertThat(worker(0).tryAcquire(name, TTL_MILLIS).status()).as(name).isEqualTo(200);
    }
    for (String name :
        List.of(
            "",
            "jobs/a%63ct",
            "jobs/acct%2F1",
            "jobs/acct/",
            "jobs//acct",
            "jobs/../acct",
            "jobs/" + "x".repeat(2_048),
            "jobs/caf\u00e9",
            "jobs/cafe\u0301",
            "jobs/a\u00ff")) {
      Answer refused = worker(1).tryAcquire(name, TTL_MILLIS);
      assertThat(refused.status()).as("%s: %s", name, refused).isEqualTo(400);
    }
    assertThat(keys("/lock/")).isEqualTo(names.size());
  }
}
