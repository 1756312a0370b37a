/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Many locks change hands at once, and nothing is left of those that were given back. */
class ManyLocksIT extends FaultFixture {

  private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(ManyLocksIT.class);
  private static final int LOCKS = 200;

  /** Two seconds on a quiet machine; tests may share theirs with others. */
  private static final Duration ALL_HANDED_OVER = Duration.ofSeconds(15);

  /** Leases of 2 s locks and of places in queues, with what buckets live longer. */
  private static final int SHORT_LEASE_SECONDS = 7;

  private static final Pattern GRANTED_TTL = Pattern.compile("granted with TTL\\((\\d+)s\\)");

  /** The long variant takes longer than requests are remembered. */
  @Override
  boolean remembersRequests() {
    return !FULL;
  }

  private EtcdGateway holders;
  private EtcdGateway waiters;

  private void startTwoGateways() throws IOException {
    etcd(1);
    holders = gateway(EtcdSettings.of(etcd.endpoints()));
    waiters = gateway(EtcdSettings.of(etcd.endpoints()));
  }

  private long keys(String folder) {
    return etcd.etcdctl("get", "--prefix", "--keys-only", EtcdGateway.PREFIX + folder)
        .lines()
        .filter(line -> !line.isBlank())
        .count();
  }

  @Test
  void manyWaitersOfManyLocksAreAllServedAtOnceAndTheGatewayStaysResponsive() throws IOException {
    startTwoGateways();
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger vertxLog = (Logger) LoggerFactory.getLogger("io.vertx");
    vertxLog.setLevel(Level.WARN);
    vertxLog.addAppender(log);
    List<Lock> held = new ArrayList<>();
    List<CompletableFuture<Answer>> waiting = new ArrayList<>();
    for (int i = 0; i < LOCKS; i++) {
      String resource = "jobs/many-" + i;
      held.add(worker(0).lock(resource, 60_000));
      waiting.add(inBackground(() -> worker(1).acquire(Worker.request(resource, 30_000, 25_000))));
    }
    eventually(() -> keys("/wait/") == LOCKS);
    Queue<Long> livenessNanos = new ConcurrentLinkedQueue<>();
    keepDoing(Duration.ofMillis(10), () -> livenessNanos.add(timed(waiters.operator())));
    eventually(() -> livenessNanos.size() >= 5);
    long startNanos = System.nanoTime();
    List<CompletableFuture<Answer>> releases =
        held.stream().map(lock -> inBackground(() -> worker(0).release(lock))).toList();
    waiting.forEach(
        call -> assertThat(call.orTimeout(40, TimeUnit.SECONDS).join().status()).isEqualTo(200));
    releases.forEach(release -> assertThat(release.join().status()).isEqualTo(200));
    Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
    vertxLog.detachAppender(log);
    vertxLog.setLevel(null);
    Duration p99 = p99(livenessNanos);
    LOG.info(
        "{} locks handed over in {} ms; liveness p99 {} ms",
        LOCKS,
        took.toMillis(),
        p99.toMillis());
    assertThat(took).isLessThan(ALL_HANDED_OVER);
    assertThat(p99).isLessThan(Duration.ofSeconds(3));
    assertThat(List.copyOf(log.list))
        .noneMatch(event -> event.getFormattedMessage().contains("has been blocked"));
  }

  private static long timed(ApiClient operator) {
    long startNanos = System.nanoTime();
    assertThat(operator.get("/livez").status()).isEqualTo(200);
    return System.nanoTime() - startNanos;
  }

  private static Duration p99(Queue<Long> nanos) {
    List<Long> sorted = nanos.stream().sorted().toList();
    return Duration.ofNanos(sorted.get((sorted.size() * 99) / 100));
  }

  /** A fifth of the rounds waits for a lease to run out. */
  @Test
  @Timeout(value = 6, unit = TimeUnit.MINUTES)
  void withinOneTtlNothingIsLeftOfLocksThatWereGivenBackOrLetGo() throws IOException {
    startTwoGateways();
    int rounds = FULL ? 200 : 20;
    for (int i = 0; i < rounds; i++) {
      String resource = "jobs/left-" + i;
      Lock held = worker(0).lock(resource, 2_000);
      CompletableFuture<Answer> waiting =
          inBackground(() -> worker(1).acquire(Worker.request(resource, 2_000, 5_000)));
      if (i % 5 > 0) {
        // Its answer says nothing of the time after the release.
        CompletableFuture<Answer> renewal = inBackground(() -> renew(held));
        worker(0).release(held);
        renewal.orTimeout(20, TimeUnit.SECONDS).join();
      }
      // The others are let go: their leases run out.
      Answer granted = waiting.orTimeout(20, TimeUnit.SECONDS).join();
      assertThat(granted.status()).as(granted.toString()).isEqualTo(200);
      worker(1).release(ApiClient.lock(granted));
    }
    List<String> leases = shortLeases();
    assertThat(keys("/lock/") + keys("/wait/")).isZero();
    within(
        Duration.ofSeconds(SHORT_LEASE_SECONDS + 8),
        () -> leases().stream().noneMatch(leases::contains));
  }

  private Answer renew(Lock lock) {
    return holders
        .worker()
        .post(
            "/v1/locks/renew",
            new JsonObject().put("resource", lock.resource()).put("leaseId", lock.leaseId()));
  }

  private List<String> leases() {
    return etcd.etcdctl("lease", "list")
        .lines()
        .map(String::strip)
        .filter(line -> line.matches("[0-9a-f]+"))
        .toList();
  }

  private List<String> shortLeases() {
    return leases().stream()
        .filter(
            lease -> {
              Matcher ttl = GRANTED_TTL.matcher(etcd.etcdctl("lease", "timetolive", lease));
              return ttl.find() && Integer.parseInt(ttl.group(1)) <= SHORT_LEASE_SECONDS;
            })
        .toList();
  }
}
