/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.fencegate.server.TestPostgres;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The owner of many resources is killed while clients write to all of them. Each write is an entry
 * of its own, so what was applied, and how often, is what the service and the database tell.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class OwnerKillIT {

  private static final Duration SESSION_TTL = Duration.ofSeconds(10);

  /** Twice the adapter's timeout. */
  private static final Duration TAKEOVER_DELAY = Duration.ofSeconds(2);

  private static final Duration SETTLE_AFTER = Duration.ofSeconds(3);

  /** What the guarantee allows beyond, and what a crowded machine adds. */
  private static final Duration SLACK = Duration.ofSeconds(1).plusSeconds(2);

  private static final int OF_EACH_KIND = 4;

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        api: { type: http, url: "http://127.0.0.1:@api@", timeout: 1s, pool: { size: 32, queue: 64 } }
        db: { type: postgres, url: "@db@", pool: { size: 8 } }
      resources:
        - name: http
          match: http/{tenant}
          adapter: api
          guarantee: serialized
          http: { route: "/http/{tenant}/**" }
          onUnresolved: { action: wait, settleAfter: 3s }
        - name: db
          match: db/{tenant}
          adapter: db
          guarantee: strict
          operations:
            append:
              sql: INSERT INTO entries(resource, entry, token) VALUES (:tenant, :entry, :token)
              params: { entry: text, token: text }
      """;

  @TempDir Path folder;
  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final AtomicInteger entries = new AtomicInteger();
  private final AtomicBoolean done = new AtomicBoolean();

  /** Entries that were answered as applied, and those that were answered as not applied. */
  private final Set<String> applied = ConcurrentHashMap.newKeySet();

  private final Set<String> rejected = ConcurrentHashMap.newKeySet();
  private TestPostgres postgres;
  private GatewayPair pair;

  @BeforeEach
  void start() throws IOException {
    postgres = TestPostgres.start();
    postgres.run(
        "CREATE TABLE entries(id bigint GENERATED ALWAYS AS IDENTITY,"
            + " resource text, entry text, token text)");
    pair = new GatewayPair(folder, POLICIES.replace("@db@", postgres.url()));
  }

  @AfterEach
  void stop() throws IOException {
    done.set(true);
    callers.shutdownNow();
    pair.close();
    postgres.close();
  }

  /** When a resource's first write that began after the kill was applied. */
  private final Map<String, Long> resumedNanos = new ConcurrentHashMap<>();

  private volatile long killedNanos = Long.MAX_VALUE;

  private Answer write(int gateway, Lock lock, String entry) {
    if (lock.resource().startsWith("http/")) {
      return pair.send(gateway, lock, entry + "/a", Map.of());
    }
    JsonObject call =
        new JsonObject()
            .put("operation", "append")
            .put("params", new JsonObject().put("entry", entry).put("token", lock.token()));
    return pair.gateway(gateway).worker().write(lock, call, Map.of());
  }

  private void attempt(int gateway, Lock lock) {
    String entry = "e" + entries.incrementAndGet();
    long begunNanos = System.nanoTime();
    try {
      Answer answer = write(gateway, lock, entry);
      if (answer.status() == 200) {
        applied.add(entry);
        if (begunNanos - killedNanos > 0) {
          resumedNanos.putIfAbsent(lock.resource(), System.nanoTime());
        }
      } else if (answer.json().getString("outcome").equals("rejected")) {
        rejected.add(entry);
      }
    } catch (RuntimeException cut) {
      // Its gateway was killed with it: nothing is known.
    }
  }

  private CompletableFuture<Void> writer(Lock lock, int first) {
    return CompletableFuture.runAsync(
        () -> {
          while (!done.get()) {
            attempt(killedNanos == Long.MAX_VALUE ? first : 1, lock);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
          }
        },
        callers);
  }

  private List<Lock> locks(String policy) {
    List<Lock> locks = new ArrayList<>();
    for (int i = 0; i < OF_EACH_KIND; i++) {
      locks.add(pair.lock(1, pair.ownedBy(0, policy), 240_000));
    }
    return locks;
  }

  @Test
  void writesResumeInTimeAndNoneIsLostOrAppliedTwice() throws Exception {
    List<Lock> strict = new ArrayList<>();
    for (int i = 0; i < OF_EACH_KIND; i++) {
      strict.add(pair.lock(1, "db/s" + i, 240_000));
    }
    List<Lock> idle = locks("http");
    List<Lock> busy = locks("http");
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    strict.forEach(it -> writers.add(writer(it, 0)));
    busy.forEach(it -> writers.add(writer(it, 0)));
    busy.forEach(it -> writers.add(writer(it, 1)));
    GatewayPair.eventually(() -> applied.size() > 200);
    List<CompletableFuture<Void>> inFlight = new ArrayList<>();
    for (Lock lock : busy) {
      inFlight.add(CompletableFuture.runAsync(() -> hold(lock), callers));
    }
    GatewayPair.eventually(() -> pair.downstream.held() == OF_EACH_KIND);

    pair.gateway(0).kill();
    killedNanos = System.nanoTime();
    idle.forEach(it -> writers.add(writer(it, 1)));
    List<Lock> newer = new ArrayList<>();
    for (Lock lock : busy) {
      assertThat(pair.gateway(1).worker().release(lock).status()).isEqualTo(200);
      newer.add(pair.lock(1, lock.resource(), 240_000));
    }
    newer.forEach(it -> writers.add(writer(it, 1)));
    GatewayPair.eventually(() -> resumedNanos.size() == 3 * OF_EACH_KIND);
    int before = applied.size();
    GatewayPair.eventually(() -> applied.size() > before + 100);
    done.set(true);
    pair.downstream.release();
    writers.forEach(it -> it.orTimeout(60, TimeUnit.SECONDS).join());
    inFlight.forEach(it -> it.orTimeout(60, TimeUnit.SECONDS).join());

    Duration strictAfter = slowest(strict);
    Duration idleAfter = slowest(idle);
    Duration busyAfter = slowest(busy);
    System.out.printf(
        "figures: owner killed under load, all resumed after: strict %d ms, idle %d ms, with writes"
            + " in flight and a newer token %d ms; %d writes applied, %d refused, %d unknown%n",
        strictAfter.toMillis(),
        idleAfter.toMillis(),
        busyAfter.toMillis(),
        applied.size(),
        rejected.size(),
        entries.get() - applied.size() - rejected.size());
    Duration takeover = SESSION_TTL.plus(TAKEOVER_DELAY).plus(SLACK);
    assertThat(strictAfter).isLessThan(SLACK);
    assertThat(idleAfter).isLessThan(takeover);
    // What the killed one had under way may have been sent until its own deadline.
    assertThat(busyAfter).isLessThan(takeover.plus(TAKEOVER_DELAY).plus(SETTLE_AFTER));
    checkHistory();
  }

  private void hold(Lock lock) {
    try {
      Answer unused = pair.send(0, lock, "hold", Map.of());
    } catch (RuntimeException cut) {
      // Its gateway was killed.
    }
  }

  private Duration slowest(List<Lock> locks) {
    long last = locks.stream().mapToLong(it -> resumedNanos.get(it.resource())).max().orElseThrow();
    return Duration.ofNanos(last - killedNanos);
  }

  /** What was really applied, in order: {@code resource entry token}. */
  private List<String> history() {
    List<String> history = new ArrayList<>();
    for (String line : pair.downstream.applied()) {
      int token = line.lastIndexOf(' ');
      int entry = line.lastIndexOf('/', token);
      // A write that was held has no entry of its own.
      history.add(
          line.chars().filter(c -> c == '/').count() == 2
              ? line.substring(0, entry) + " " + line.substring(entry + 1)
              : line.substring(0, token) + " held" + line.substring(token));
    }
    history.addAll(postgres.rows("SELECT resource, entry, token FROM entries ORDER BY id"));
    return history;
  }

  private void checkHistory() {
    Set<String> seen = new HashSet<>();
    List<String> wrong = new ArrayList<>();
    Map<String, Long> highest = new HashMap<>();
    for (String line : history()) {
      String[] parts = line.split(" ", -1);
      if (!parts[1].equals("held") && !seen.add(parts[1])) {
        wrong.add("twice: " + line);
      }
      if (rejected.contains(parts[1])) {
        wrong.add("answered as rejected: " + line);
      }
      long token = Long.parseLong(parts[2]);
      if (token < highest.getOrDefault(parts[0], 0L)) {
        wrong.add("behind " + highest.get(parts[0]) + ": " + line);
      }
      highest.merge(parts[0], token, Math::max);
    }
    assertThat(wrong).isEmpty();
    assertThat(seen).containsAll(applied);
  }
}
