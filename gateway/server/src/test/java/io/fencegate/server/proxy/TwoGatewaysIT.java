/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdOptions;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.GatewayProcess;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two real gateway processes on a real etcd before one HTTP service that knows nothing of tokens:
 * they are killed, frozen and restarted. After every test the tokens that the service carried out
 * have never decreased, where the test does not say that they may.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class TwoGatewaysIT {

  /** Twice the adapters' timeout: how long a write may be under way, and so the takeover delay. */
  private static final Duration UNDER_WAY = Duration.ofSeconds(2);

  private static final Duration SETTLE_AFTER = Duration.ofSeconds(4);

  /**
   * A session and the second of its bucket, one period of looking, and what a busy machine adds.
   */
  private static final Duration SESSION_ENDS = Duration.ofSeconds(10 + 1 + 1);

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        api: { type: http, url: "http://127.0.0.1:@api@", timeout: 1s }
        wire: { type: http, url: "http://127.0.0.1:@wire@", timeout: 1s, pool: { size: 1, queue: 8 } }
      resources:
        - name: wait
          match: wait/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/wait/{tenant}/**" }
          onUnresolved: { action: wait, settleAfter: 4s }
        - name: block
          match: block/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/block/{tenant}/**" }
        - name: wire
          match: wire/{tenant}
          adapter: wire
          guarantee: serialized
          http: { route: "/wire/{tenant}/**" }
          onUnresolved: { action: wait, settleAfter: 1s }
      """;

  @TempDir Path folder;
  private final HttpDownstream downstream = new HttpDownstream();
  private final Vertx vertx = Vertx.vertx();
  private final GatewayProcess[] gateways = new GatewayProcess[2];
  private EtcdCluster etcd;
  private FaultProxy wire;
  private boolean mayDecrease;

  @BeforeEach
  void start() throws IOException {
    etcd = EtcdCluster.start(EtcdOptions.ofNodes(1));
    wire =
        FaultProxy.start(vertx, "127.0.0.1", downstream.port())
            .toCompletionStage()
            .toCompletableFuture()
            .orTimeout(10, TimeUnit.SECONDS)
            .join();
    startGateway(0);
    startGateway(1);
    eventually(() -> owners() == 2);
  }

  private void startGateway(int index) throws IOException {
    Path own = folder.resolve("gateway-" + index + "-" + System.nanoTime());
    Files.createDirectories(own);
    gateways[index] =
        GatewayProcess.start(
            own,
            POLICIES
                .replace("@api@", Integer.toString(downstream.port()))
                .replace("@wire@", Integer.toString(wire.port())),
            "{ type: etcd, endpoints: [\"%s\"] }".formatted(etcd.node(0).endpoint()));
  }

  @AfterEach
  void checkAndStop() throws Exception {
    downstream.release();
    for (GatewayProcess gateway : gateways) {
      gateway.resume();
      gateway.close();
    }
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    downstream.close();
    etcd.close();
    if (!mayDecrease) {
      assertThat(decreases()).isEmpty();
    }
  }

  private List<String> decreases() {
    Map<String, Long> highest = new HashMap<>();
    List<String> decreases = new ArrayList<>();
    for (String applied : downstream.applied()) {
      String resource = applied.substring(0, applied.indexOf(' '));
      long token = Long.parseLong(applied.substring(applied.indexOf(' ') + 1));
      if (token < highest.getOrDefault(resource, 0L)) {
        decreases.add(applied + " behind " + highest.get(resource));
      }
      highest.merge(resource, token, Math::max);
    }
    return decreases;
  }

  private static void eventually(Callable<Boolean> condition) {
    eventually(Duration.ofSeconds(60), condition);
  }

  private static void eventually(Duration most, Callable<Boolean> condition) {
    Awaitility.await().atMost(most).pollInterval(Duration.ofMillis(50)).until(condition);
  }

  /** How many gateways serve slots, where every slot is served. */
  private long owners() {
    JsonObject cluster = gateways[0].operator().get("/admin/v1/cluster").json();
    List<String> owners = new ArrayList<>();
    for (Object slot : cluster.getJsonArray("slots")) {
      JsonObject it = (JsonObject) slot;
      owners.add(it.getBoolean("serving") ? it.getString("owner") : "nobody");
    }
    return owners.size() < 64 || owners.contains("nobody") ? 0 : owners.stream().distinct().count();
  }

  private String ownedBy(int gateway, String policy) {
    for (int i = 0; i < 1_000; i++) {
      String resource = policy + "/t" + i;
      JsonObject shown = gateways[gateway].operator().get("/admin/v1/resources/" + resource).json();
      if ("self".equals(shown.getString("owner"))) {
        return resource;
      }
    }
    throw new AssertionError("gateway " + gateway + " owns nothing");
  }

  private Answer send(int gateway, Lock lock, String what) {
    return send(gateways[gateway].worker(), lock, what);
  }

  private static Answer send(ApiClient gateway, Lock lock, String what) {
    return gateway.send(
        "POST",
        "/" + lock.resource() + "/" + what,
        "x",
        Map.of("Fencing-Token", lock.token(), "Fencing-Lease", lock.leaseId()));
  }

  private Lock lock(int gateway, String resource, long ttlMillis) {
    Answer answer = gateways[gateway].worker().tryAcquire(resource, ttlMillis);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return ApiClient.lock(answer);
  }

  private Lock next(int gateway, Lock lock) {
    assertThat(gateways[gateway].worker().release(lock).status()).isEqualTo(200);
    return lock(gateway, lock.resource(), 60_000);
  }

  // ---- one write in flight, another gateway

  @Test
  void aNewerTokenThroughTheOtherGatewayWaitsForAWriteThatStillLands() {
    for (int carrier = 0; carrier < 2; carrier++) {
      String resource = ownedBy(carrier, "wait");
      Lock old = lock(carrier, resource, 60_000);
      assertThat(send(carrier, old, "late-3000").code()).isEqualTo("outcome-unknown");
      Lock newer = next(1 - carrier, old);
      Answer first = send(1 - carrier, newer, "a");
      assertThat(first.code()).isEqualTo("predecessor-unresolved");
      assertThat(first.json().getString("outcome")).isEqualTo("rejected");
      int other = 1 - carrier;
      eventually(() -> send(other, newer, "a").status() == 200);
      assertThat(downstream.applied())
          .containsSubsequence(resource + " " + old.token(), resource + " " + newer.token());
    }
  }

  @Test
  void writesAreCarriedOutWhicheverGatewayTheyComeTo() {
    for (int owner = 0; owner < 2; owner++) {
      Lock lock = lock(0, ownedBy(owner, "block"), 60_000);
      for (int through = 0; through < 2; through++) {
        Answer answer = send(through, lock, "a");
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        assertThat(answer.header("fencing-guarantee")).isEqualTo("serialized");
      }
    }
  }

  // ---- an owner that is killed

  @Test
  void whatAKilledOwnerServedIsServedAgainAndNothingIsLostOrAppliedTwice() throws Exception {
    String idle = ownedBy(0, "block");
    Lock idleLock = lock(1, idle, 120_000);
    String busy = ownedBy(0, "wait");
    Lock busyLock = lock(1, busy, 120_000);
    assertThat(send(0, busyLock, "a").status()).isEqualTo(200);
    CompletableFuture<Void> inFlight =
        CompletableFuture.runAsync(
            () -> {
              try {
                send(0, busyLock, "late-3000");
              } catch (RuntimeException killed) {
                // Its gateway is gone.
              }
            });
    eventually(() -> downstream.heads().stream().anyMatch(it -> it.endsWith("late-3000")));
    gateways[0].kill();
    long killedNanos = System.nanoTime();
    Lock newer = next(1, busyLock);
    eventually(() -> send(1, idleLock, "a").status() == 200);
    Duration idleAfter = Duration.ofNanos(System.nanoTime() - killedNanos);
    eventually(() -> send(1, newer, "a").status() == 200);
    Duration busyAfter = Duration.ofNanos(System.nanoTime() - killedNanos);
    inFlight.orTimeout(10, TimeUnit.SECONDS).join();
    System.out.printf(
        "figures: after a kill an idle resource was served again after %d ms, one with a write in"
            + " flight and a newer token after %d ms%n",
        idleAfter.toMillis(), busyAfter.toMillis());
    Duration takeover = SESSION_ENDS.plus(UNDER_WAY).plusSeconds(1);
    Duration crowded = Duration.ofSeconds(2);
    assertThat(idleAfter).isLessThan(takeover.plus(crowded));
    assertThat(busyAfter).isLessThan(takeover.plus(UNDER_WAY).plus(SETTLE_AFTER).plus(crowded));
    assertThat(downstream.applied())
        .containsSubsequence(busy + " " + busyLock.token(), busy + " " + newer.token());
    assertThat(downstream.applied().stream().filter(it -> it.equals(idle + " " + idleLock.token())))
        .hasSize(1);
  }

  @Test
  void theSameHolderGoesOnAfterAKillAlsoWhereDoubtBlocksNewerTokens() throws Exception {
    String resource = ownedBy(0, "block");
    Lock lock = lock(1, resource, 120_000);
    assertThat(send(0, lock, "a").status()).isEqualTo(200);
    gateways[0].kill();
    eventually(() -> send(1, lock, "a").status() == 200);
    Lock newer = next(1, lock);
    Answer refused = send(1, newer, "a");
    assertThat(refused.code()).isEqualTo("predecessor-unresolved");
    JsonObject unresolved =
        gateways[1]
            .operator()
            .get("/admin/v1/unresolved")
            .json()
            .getJsonArray("unresolved")
            .getJsonObject(0);
    assertThat(unresolved.getString("kind")).isEqualTo("owner-lost");
    assertThat(unresolved.getString("fencingToken")).isEqualTo(lock.token());
    gateways[1]
        .operator()
        .post(
            "/admin/v1/unresolved/" + unresolved.getString("id") + "/resolve",
            new JsonObject().put("as", "rejected").put("reason", "the service was looked at"));
    eventually(() -> send(1, newer, "a").status() == 200);
  }

  // ---- an owner that is frozen

  @Test
  void aFrozenOwnersWriteThatWaitedForAConnectionIsNotSentAfterItThaws() throws Exception {
    String resource = ownedBy(0, "wire");
    Lock old = lock(1, resource, 120_000);
    assertThat(send(0, old, "a").status()).isEqualTo(200);
    wire.holdOnceSent("first");
    CompletableFuture<Optional<Answer>> first = attempt(old, "first");
    eventually(wire::hasStruck);
    CompletableFuture<Optional<Answer>> second = attempt(old, "second");
    eventually(() -> inFlight(resource) == 2);
    gateways[0].pause();
    wire.pass();
    Lock newer = next(1, old);
    eventually(() -> send(1, newer, "newer").status() == 200);
    gateways[0].resume();
    first.orTimeout(40, TimeUnit.SECONDS).join();
    Optional<Answer> answer = second.orTimeout(40, TimeUnit.SECONDS).join();
    assertThat(answer.map(Answer::status)).isNotEqualTo(Optional.of(200));
    assertThat(downstream.heads()).noneMatch(it -> it.endsWith("second"));
    assertThat(send(0, old, "a").code()).isEqualTo("stale-token");
  }

  private int inFlight(String resource) {
    return gateways[0]
        .operator()
        .get("/admin/v1/resources/" + resource)
        .json()
        .getInteger("inFlight");
  }

  private CompletableFuture<Optional<Answer>> attempt(Lock lock, String what) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return Optional.of(send(0, lock, what));
          } catch (RuntimeException cut) {
            return Optional.empty();
          }
        });
  }

  /**
   * What the README says can happen: a hop behind the gateway that queues a request for longer than
   * the bounds delivers it behind a newer one.
   */
  @Test
  void aHopThatQueuesForLongerThanTheBoundsBreaksTheOrderAsTheReadmeSays() throws Exception {
    mayDecrease = true;
    String resource = ownedBy(0, "wire");
    Lock old = lock(1, resource, 120_000);
    wire.holdOnceSent("queued");
    assertThat(send(0, old, "queued").code()).isEqualTo("outcome-unknown");
    Lock newer = next(1, old);
    eventually(() -> send(1, newer, "newer").status() == 200);
    wire.pass();
    eventually(() -> downstream.heads().stream().anyMatch(it -> it.endsWith("queued")));
    eventually(() -> !decreases().isEmpty());
  }

  // ---- restarts

  @Test
  void aRollingRestartFailsNoRequestOfAClientThatKnowsBothGateways() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger sent = new AtomicInteger();
    ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Lock lock = lock(0, "block/roll-" + i, 240_000);
      int first = i % 2;
      clients.add(
          CompletableFuture.runAsync(
              () -> {
                while (!done.get()) {
                  String head = once(lock, first);
                  sent.incrementAndGet();
                  if (!head.startsWith("HTTP/1.1 200")) {
                    failures.add(head);
                  }
                }
              }));
    }
    for (int i = 0; i < 2; i++) {
      int before = sent.get();
      eventually(() -> sent.get() > before + 50);
      assertThat(gateways[i].terminate()).isZero();
      int without = sent.get();
      eventually(() -> sent.get() > without + 50);
      startGateway(i);
      eventually(() -> owners() == 2);
    }
    done.set(true);
    clients.forEach(it -> it.orTimeout(30, TimeUnit.SECONDS).join());
    System.out.printf("figures: %d requests during a rolling restart%n", sent.get());
    assertThat(failures).isEmpty();
    assertThat(downstream.applied()).hasSize(sent.get());
  }

  /** One request on a connection of its own; a refused connection is tried at the other gateway. */
  private String once(Lock lock, int first) {
    for (int i = 0; ; i++) {
      try (RawHttp raw = new RawHttp(gateways[(first + i) % 2].workerPort())) {
        raw.send(
            ProxyFixture.head(lock, "POST", "a")
                + "Connection: close\r\nContent-Length: 1\r\n\r\nx");
        return raw.rest();
      } catch (ConnectException refused) {
        if (i == 20) {
          return "both refused";
        }
      } catch (IOException broken) {
        return "broken: " + broken;
      }
    }
  }
}
