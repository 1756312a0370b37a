/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holders and zombies write at random to a few resources through two gateways (each with its own
 * pool, barrier and epochs) that share one coordinator and one database. A trigger in the database
 * keeps the log that is judged.
 */
class CampaignIT {

  private static final int RESOURCES = 3;
  private static final int WRITERS = 8;
  private static final int WRITES = Boolean.getBoolean("fencegate.full") ? 40_000 : 4_000;

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        db: { type: postgres, url: "%s", pool: { size: 8 } }
      resources:
        - name: log
          match: log/{name}
          adapter: db
          guarantee: strict
          operations:
            append:
              sql: INSERT INTO entries(resource, token, value) VALUES (:name, :token, :value)
              params: { token: int8, value: text }
              minRows: 1
      """;

  private static final String TABLES =
      """
      CREATE TABLE entries(resource text, token bigint, value text UNIQUE);
      CREATE TABLE applied(seq bigint GENERATED ALWAYS AS IDENTITY, resource text, token bigint, value text);
      CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO applied(resource, token, value) VALUES (NEW.resource, NEW.token, NEW.value);
        RETURN NEW;
      END $$;
      CREATE TRIGGER keep AFTER INSERT ON entries FOR EACH ROW EXECUTE FUNCTION keep();
      """;

  @TempDir static Path folder;

  private final Map<String, Lock> holders = new ConcurrentHashMap<>();
  private final Queue<Lock> zombies = new ConcurrentLinkedQueue<>();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final AtomicInteger started = new AtomicInteger();

  /** The long variant has ten times the attempts, on whatever machine. */
  @Test
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void noTokenEverDecreasesInTheDatabaseAndEveryAnswerIsTrue() throws Exception {
    long seed = new Random().nextLong();
    System.out.println("campaign seed " + seed);
    try (TestPostgres postgres = TestPostgres.start()) {
      postgres.run(TABLES);
      String policies = POLICIES.formatted(postgres.url());
      try (TestGateways gateways = TestGateways.start(folder, policies, 2)) {
        long startNanos = System.nanoTime();
        run(gateways, seed);
        long seconds = Duration.ofNanos(System.nanoTime() - startNanos).toSeconds();
        report(seed, seconds);
        judge(postgres, seed);
      }
    }
  }

  private void run(TestGateways gateways, long seed) throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      Random random = new Random(seed + i);
      List<ApiClient> clients = List.of(gateways.client(0), gateways.client(1));
      running.add(writers.submit(() -> write(clients, random)));
    }
    writers.shutdown();
    for (Future<?> writer : running) {
      writer.get(5, TimeUnit.MINUTES);
    }
    assertThat(writers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
  }

  private void write(List<ApiClient> clients, Random random) {
    for (int n = started.incrementAndGet(); n <= WRITES; n = started.incrementAndGet()) {
      ApiClient client = clients.get(random.nextInt(clients.size()));
      String resource = "log/" + random.nextInt(RESOURCES);
      int dice = random.nextInt(100);
      if (dice < 4) {
        changeHands(client, resource);
      }
      Lock lock = dice < 40 ? zombies.poll() : holders.get(resource);
      if (lock != null) {
        String value = "v" + n;
        JsonObject params = new JsonObject().put("token", Long.parseLong(lock.token()));
        Answer answer =
            client.write(
                lock,
                new JsonObject()
                    .put("operation", "append")
                    .put("params", params.put("value", value)),
                Map.of());
        answers.put(value, answer);
        if (dice < 40 && zombies.size() < 20) {
          zombies.add(lock);
        }
      }
    }
  }

  /** The holder frees the lock but goes on writing: it becomes a zombie. */
  private void changeHands(ApiClient client, String resource) {
    Lock old = holders.get(resource);
    if (old != null) {
      client.release(old);
      zombies.add(old);
    }
    Answer acquired = client.tryAcquire(resource, 30_000);
    if (acquired.status() == 200) {
      holders.put(resource, ApiClient.lock(acquired));
    }
  }

  private void report(long seed, long seconds) {
    Map<String, Integer> counts = new HashMap<>();
    answers
        .values()
        .forEach(
            answer ->
                counts.merge(answer.status() == 200 ? "applied" : answer.code(), 1, Integer::sum));
    System.out.println(
        "campaign seed " + seed + ": " + answers.size() + " writes in " + seconds + " s " + counts);
  }

  private void judge(TestPostgres postgres, long seed) {
    assertThat(
            postgres.rows(
                "SELECT a.resource, a.token, b.token FROM applied a JOIN applied b"
                    + " ON a.resource = b.resource AND a.seq < b.seq AND a.token > b.token LIMIT 5"))
        .as("tokens that decrease, seed " + seed)
        .isEmpty();
    Set<String> applied = new HashSet<>(postgres.rows("SELECT value FROM applied"));
    assertThat(postgres.rows("SELECT count(*) FROM applied"))
        .containsExactly(Integer.toString(applied.size()));
    Set<String> answeredApplied = new HashSet<>();
    Set<String> codes = new HashSet<>();
    answers.forEach(
        (value, answer) -> {
          if (answer.status() == 200) {
            answeredApplied.add(value);
          } else {
            codes.add(answer.code());
          }
        });
    assertThat(applied).as("applied is what was answered applied").isEqualTo(answeredApplied);
    assertThat(codes)
        .as("no deadlock, no unknown, nothing but refusals of zombies")
        .isSubsetOf("stale-token", "lease-expired", "token-not-issued");
    assertThat(answers.size() - applied.size()).as("zombies refused").isGreaterThan(WRITES / 10);
    assertThat(applied.size()).as("holders wrote").isGreaterThan(WRITES / 4);
  }
}
