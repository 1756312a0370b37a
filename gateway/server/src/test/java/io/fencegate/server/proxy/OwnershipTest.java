/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.TestGateways;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two gateways before one HTTP service that knows nothing of tokens. */
class OwnershipTest {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        api: { type: http, url: "http://127.0.0.1:@api@", timeout: 2s }
      resources:
        - name: block
          match: block/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/block/{tenant}/**" }
        - name: wait
          match: wait/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/wait/{tenant}/**" }
          onUnresolved: { action: wait, settleAfter: 1s }
        - name: outside
          match: outside/{tenant}
          adapter: api
          guarantee: serialized
          token: { source: external, start: 1, maxJump: 1000 }
          http: { route: "/outside/{tenant}/**" }
      """;

  @TempDir Path folder;
  private final HttpDownstream downstream = new HttpDownstream();
  private TestGateways gateways;

  @BeforeEach
  void start() throws IOException {
    gateways =
        TestGateways.start(
            folder, POLICIES.replace("@api@", Integer.toString(downstream.port())), 2);
    eventually(() -> owners().size() == 2);
  }

  @AfterEach
  void stop() {
    downstream.release();
    gateways.close();
    downstream.close();
  }

  private static void eventually(java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(50))
        .until(condition);
  }

  /** The sessions that serve a slot, each slot having one. */
  private Set<String> owners() {
    Set<String> owners = new HashSet<>();
    JsonObject cluster = gateways.operator(0).get("/admin/v1/cluster").json();
    for (Object slot : cluster.getJsonArray("slots")) {
      JsonObject it = (JsonObject) slot;
      if (it.getString("owner") == null || !it.getBoolean("serving")) {
        return Set.of();
      }
      owners.add(it.getString("owner"));
    }
    return cluster.getJsonArray("slots").size() == 64 ? owners : Set.of();
  }

  private String ownedBy(int gateway, String policy) {
    for (int i = 0; i < 1_000; i++) {
      String resource = policy + "/t" + i;
      if ("self".equals(owner(gateway, resource))) {
        return resource;
      }
    }
    throw new AssertionError("gateway " + gateway + " owns nothing");
  }

  private String owner(int gateway, String resource) {
    return gateways
        .operator(gateway)
        .get("/admin/v1/resources/" + resource)
        .json()
        .getString("owner");
  }

  private Answer send(int gateway, Lock lock, String what) {
    return gateways
        .client(gateway)
        .send(
            "POST",
            "/" + lock.resource() + "/" + what,
            "x",
            Map.of("Fencing-Token", lock.token(), "Fencing-Lease", lock.leaseId()));
  }

  private Lock next(Lock lock) {
    ApiClient any = gateways.client(0);
    any.release(lock);
    return any.acquire(lock.resource());
  }

  @Test
  void eachResourceHasExactlyOneOwnerAndBothGatewaysHaveSome() {
    int[] owned = new int[2];
    for (int i = 0; i < 50; i++) {
      String resource = "block/t" + i;
      boolean first = "self".equals(owner(0, resource));
      assertThat("self".equals(owner(1, resource))).isNotEqualTo(first);
      owned[first ? 0 : 1]++;
    }
    assertThat(owned[0]).isPositive();
    assertThat(owned[1]).isPositive();
  }

  @Test
  void aWriteIsCarriedOutWhereverItComes() {
    for (int owner = 0; owner < 2; owner++) {
      Lock lock = gateways.client(0).acquire(ownedBy(owner, "block"));
      assertThat(send(0, lock, "a").status()).isEqualTo(200);
      assertThat(send(1, lock, "a").status()).isEqualTo(200);
      Lock newer = next(lock);
      assertThat(send(1 - owner, newer, "a").status()).isEqualTo(200);
      assertThat(send(owner, lock, "a").code()).isEqualTo("stale-token");
      assertThat(send(1 - owner, lock, "a").code()).isEqualTo("stale-token");
    }
    assertThat(downstream.heads()).hasSize(6);
  }

  @Test
  void aStoppingGatewayHandsItsResourcesOverWithoutADelay() {
    String resource = ownedBy(0, "block");
    Lock lock = gateways.client(1).acquire(resource);
    assertThat(send(0, lock, "a").status()).isEqualTo(200);
    gateways.stop(0);
    long startNanos = System.nanoTime();
    eventually(() -> send(1, lock, "a").status() == 200);
    assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(3));
    gateways.client(1).release(lock);
    Lock newer = gateways.client(1).acquire(resource);
    assertThat(send(1, newer, "a").status()).isEqualTo(200);
    assertThat(send(1, lock, "a").code()).isEqualTo("stale-token");
  }

  @Test
  void aWriteInFlightEndsBeforeItsResourceIsHandedOver() {
    String resource = ownedBy(0, "block");
    Lock lock = gateways.client(1).acquire(resource);
    CompletableFuture<Answer> held = CompletableFuture.supplyAsync(() -> send(0, lock, "hold"));
    eventually(() -> downstream.held() == 1);
    CompletableFuture<Void> stopping = CompletableFuture.runAsync(() -> gateways.stop(0));
    eventually(() -> gateways.operator(0).get("/readyz").status() != 200);
    CompletableFuture<Answer> next = CompletableFuture.supplyAsync(() -> send(1, lock, "a"));
    assertThat(downstream.heads()).hasSize(1);
    downstream.release();
    assertThat(held.orTimeout(20, TimeUnit.SECONDS).join().status()).isEqualTo(200);
    assertThat(next.orTimeout(20, TimeUnit.SECONDS).join().status()).isEqualTo(200);
    stopping.orTimeout(30, TimeUnit.SECONDS).join();
  }

  @Test
  void whatIsInDoubtIsHandedOverWithItsResource() {
    String resource = ownedBy(0, "block");
    Lock lock = gateways.client(1).acquire(resource);
    assertThat(send(0, lock, "hold").code()).isEqualTo("outcome-unknown");
    Lock newer = next(lock);
    assertThat(send(0, newer, "a").code()).isEqualTo("predecessor-unresolved");
    String id = unresolvedId(1);
    gateways.stop(0);
    eventually(() -> "self".equals(owner(1, resource)));
    assertThat(send(1, newer, "a").code()).isEqualTo("predecessor-unresolved");
    assertThat(unresolvedId(1)).isEqualTo(id);
    Answer resolved =
        gateways
            .operator(1)
            .post(
                "/admin/v1/unresolved/" + id + "/resolve",
                new JsonObject().put("as", "rejected").put("reason", "looked"));
    assertThat(resolved.status()).isEqualTo(200);
    assertThat(send(1, newer, "a").status()).isEqualTo(200);
    assertThat(unresolved(1)).isZero();
  }

  private int unresolved(int gateway) {
    return gateways
        .operator(gateway)
        .get("/admin/v1/unresolved")
        .json()
        .getJsonArray("unresolved")
        .size();
  }

  private String unresolvedId(int gateway) {
    eventually(() -> unresolved(gateway) == 1);
    return gateways
        .operator(gateway)
        .get("/admin/v1/unresolved")
        .json()
        .getJsonArray("unresolved")
        .getJsonObject(0)
        .getString("id");
  }

  @Test
  void anOperatorResolvesThroughAnyGateway() {
    String resource = ownedBy(0, "block");
    Lock lock = gateways.client(1).acquire(resource);
    assertThat(send(0, lock, "hold").code()).isEqualTo("outcome-unknown");
    Lock newer = next(lock);
    assertThat(send(0, newer, "a").code()).isEqualTo("predecessor-unresolved");
    String id = unresolvedId(1);
    gateways
        .operator(1)
        .post(
            "/admin/v1/unresolved/" + id + "/resolve",
            new JsonObject().put("as", "applied").put("reason", "looked"));
    eventually(() -> send(0, newer, "a").status() == 200);
  }

  @Test
  void whereThePolicyWaitsTheSuccessorWaitsToo() {
    String resource = ownedBy(0, "wait");
    Lock lock = gateways.client(1).acquire(resource);
    assertThat(send(0, lock, "hold").code()).isEqualTo("outcome-unknown");
    unresolvedId(1);
    gateways.stop(0);
    Lock newer = gateways.client(1).acquire("wait/other");
    gateways.client(1).release(newer);
    gateways.client(1).release(lock);
    Lock successor = gateways.client(1).acquire(resource);
    eventually(() -> send(1, successor, "a").status() == 200);
    eventually(() -> unresolved(1) == 0);
  }

  // ---- what operators ask of a gateway that is not the owner

  private Answer breakLock(int gateway, Lock lock) {
    return gateways
        .operator(gateway)
        .post(
            "/admin/v1/locks/break",
            new JsonObject()
                .put("resource", lock.resource())
                .put("fencingToken", lock.token())
                .put("reason", "stuck"));
  }

  @Test
  void aLockIsBrokenThroughAnyGatewayAndItsHolderIsShutOutEverywhere() {
    for (int owner = 0; owner < 2; owner++) {
      Lock lock = gateways.client(0).acquire(ownedBy(owner, "block"));
      assertThat(send(owner, lock, "a").status()).isEqualTo(200);
      Answer broken = breakLock(1 - owner, lock);
      assertThat(broken.status()).as(broken.toString()).isEqualTo(200);
      assertThat(broken.json().getBoolean("broken")).isTrue();
      assertThat(broken.json().getString("epoch"))
          .isEqualTo(Long.toString(Long.parseLong(lock.token()) + 1));
      for (int through = 0; through < 2; through++) {
        assertThat(send(through, lock, "a").code()).isEqualTo("stale-token");
      }
      Lock next = gateways.client(0).acquire(lock.resource());
      assertThat(send(1 - owner, next, "a").status()).isEqualTo(200);
      gateways.client(0).release(next);
    }
  }

  @Test
  void aBreakThroughTheOtherGatewayIsAnsweredWhenTheHoldersWritesHaveEnded() {
    String resource = ownedBy(0, "block");
    Lock lock = gateways.client(1).acquire(resource);
    CompletableFuture<Answer> held = CompletableFuture.supplyAsync(() -> send(0, lock, "hold"));
    eventually(() -> downstream.held() == 1);
    CompletableFuture<Answer> broken = CompletableFuture.supplyAsync(() -> breakLock(1, lock));
    eventually(() -> gateways.client(1).tryAcquire(resource, 30_000).status() == 200);
    assertThat(broken).isNotDone();
    downstream.release();
    assertThat(held.orTimeout(20, TimeUnit.SECONDS).join().status()).isEqualTo(200);
    assertThat(broken.orTimeout(20, TimeUnit.SECONDS).join().status()).isEqualTo(200);
  }

  @Test
  void aBreakThatTheOwnerCannotAcknowledgeIsInDoubtAndItsRepeatIsNot() {
    String resource = ownedBy(0, "block");
    Lock lock = gateways.client(1).acquire(resource);
    assertThat(send(0, lock, "hold").code()).isEqualTo("outcome-unknown");
    Answer broken = breakLock(1, lock);
    assertThat(broken.code()).isEqualTo("predecessor-unresolved");
    assertThat(broken.json().getString("outcome")).isEqualTo("unknown");
    assertThat(broken.json().getString("detail")).contains(lock.token());
    assertThat(gateways.client(1).get("/v1/locks/" + resource).json().getBoolean("held")).isFalse();
    downstream.release();
    gateways
        .operator(1)
        .post(
            "/admin/v1/unresolved/" + unresolvedId(1) + "/resolve",
            new JsonObject().put("as", "applied").put("reason", "looked"));
    eventually(() -> breakLock(1, lock).status() == 200);
  }

  @Test
  void anEpochIsResetThroughAnyGateway() {
    for (int owner = 0; owner < 2; owner++) {
      Lock high = new Lock(ownedBy(owner, "outside"), "", "900");
      Lock low = new Lock(high.resource(), "", "5");
      assertThat(sendUnleased(owner, high).status()).isEqualTo(200);
      assertThat(sendUnleased(owner, low).code()).isEqualTo("stale-token");
      Answer reset =
          gateways
              .operator(1 - owner)
              .post(
                  "/admin/v1/epochs/" + high.resource() + "/reset",
                  new JsonObject().put("reason", "issuer starts anew"));
      assertThat(reset.status()).as(reset.toString()).isEqualTo(200);
      assertThat(sendUnleased(owner, low).status()).isEqualTo(200);
    }
  }

  private Answer sendUnleased(int gateway, Lock lock) {
    return gateways
        .client(gateway)
        .send("POST", "/" + lock.resource() + "/a", "x", Map.of("Fencing-Token", lock.token()));
  }

  @Test
  void onlyGatewaysAskTheOwnerOfAResource() {
    String resource = ownedBy(0, "block");
    for (String errand : Set.of("shut-out", "forget")) {
      String path = "/v1/gateways/" + errand + "/" + resource;
      Map<String, String> forged = Map.of("Fencegate-Hop", "a.b." + "x".repeat(43));
      for (Map<String, String> headers : Set.of(Map.<String, String>of(), forged)) {
        Answer answer = gateways.client(0).send("POST", path, "", headers);
        assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
        assertThat(answer.json().getString("field")).isEqualTo("Fencegate-Hop");
      }
    }
  }
}
