/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.tck.FaultProxy;
import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.coordination.etcd.EtcdStore;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.lab.EtcdNode;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many wait for one lock while etcd or the wire to it fails, and comes back. */
class WaitersFaultsIT extends FaultFixture {

  private static final int WAITERS = FULL ? 50 : 16;
  private static final long WAIT_MILLIS = 60_000;
  private static final long WAITERS_TTL_MILLIS = 20_000;
  private static final long HOLDERS_TTL_MILLIS = FULL ? 200_000 : 60_000;
  private static final Duration PATIENCE_OF_A_WAITER = Duration.ofMinutes(3);
  private static final Set<String> ASKED_AGAIN = Set.of("lease-lost", "wait-timeout");
  private static final String RESOURCE = "jobs/queue";
  private static final String STREAMS = "etcd_debugging_mvcc_watch_stream_total";

  private final List<CompletableFuture<Answer>> waiting = new ArrayList<>();
  private Lock held;

  private void startTwoGateways(EtcdSettings settings) throws IOException {
    gateway(settings);
    gateway(settings);
  }

  /** One holds the lock; the others wait for it in a known order, through both gateways. */
  private void line() {
    held = worker(0).lock(RESOURCE, HOLDERS_TTL_MILLIS);
    for (int i = 0; i < WAITERS; i++) {
      Worker worker = worker(i % 2);
      JsonObject request = Worker.request(RESOURCE, WAITERS_TTL_MILLIS, WAIT_MILLIS);
      waiting.add(inBackground(() -> waitAndRelease(worker, request)));
      int inLine = i + 1;
      eventually(() -> worker.show(RESOURCE).getInteger("waiters") == inLine);
    }
  }

  private Answer waitAndRelease(Worker worker, JsonObject request) {
    Answer answer = FULL ? waitInTurns(worker, request) : worker.acquire(request);
    if (answer.status() == 200) {
      worker.release(ApiClient.lock(answer));
    }
    return answer;
  }

  /**
   * As the SDK does it where a fault is longer than one call may wait: before the call's time is
   * over its repeat takes over the place, and what a gateway could not tell is asked again.
   */
  private Answer waitInTurns(Worker worker, JsonObject request) {
    long startNanos = System.nanoTime();
    while (true) {
      CompletableFuture<Answer> call = inBackground(() -> worker.acquire(request));
      Optional<Answer> answer = answerOf(call);
      if (answer.isPresent()) {
        boolean again =
            answer.get().json().getBoolean("retryable", false)
                || ASKED_AGAIN.contains(String.valueOf(answer.get().code()));
        if (!again || System.nanoTime() - startNanos > PATIENCE_OF_A_WAITER.toNanos()) {
          return answer.get();
        }
        lasting(Duration.ofSeconds(1));
      }
    }
  }

  private static Optional<Answer> answerOf(CompletableFuture<Answer> call) {
    try {
      return Optional.of(call.get(WAIT_MILLIS / 2, TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /** Each gets the lock in its turn, soon after the holder lets go. */
  private void assertAllAreServedInOrder() {
    within(HEALED, () -> worker(1).release(held).status() == 200);
    List<Answer> answers = answers(HEALED);
    assertThat(answers).allSatisfy(answer -> assertThat(answer.status()).isEqualTo(200));
    assertTokensRise(answers);
  }

  private List<Answer> answers(Duration patience) {
    CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new))
        .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
        .join();
    return waiting.stream().map(CompletableFuture::join).toList();
  }

  private static void assertTokensRise(List<Answer> inOrderOfArrival) {
    assertThat(
            inOrderOfArrival.stream()
                .map(answer -> Long.parseLong(answer.json().getString("fencingToken")))
                .toList())
        .as("in the order of arrival")
        .isSortedAccordingTo(Comparator.naturalOrder());
  }

  @Test
  void waitersOutliveAnEtcdThatIsAwayTwiceAndAreServedInOrder() throws IOException {
    etcd(1);
    startTwoGateways(EtcdSettings.of(etcd.endpoints()));
    line();
    double streams = etcd.node(0).metric(STREAMS);
    for (int i = 0; i < 2; i++) {
      etcd.node(0).kill();
      lasting(seconds(2.5, 20));
      etcd.startAll();
      within(HEALED, () -> etcd.node(0).metric(STREAMS) == streams);
    }
    assertAllAreServedInOrder();
  }

  @Test
  void waitersOutliveAKilledLeaderAndALostMajorityAndAreServedInOrder() throws IOException {
    etcd(3);
    startTwoGateways(EtcdSettings.of(etcd.endpoints()));
    line();
    EtcdNode first = etcd.leader();
    first.kill();
    within(HEALED, () -> worker(0).tryAcquire("jobs/other", 2_000).status() == 200);
    EtcdNode second = etcd.leader();
    second.kill();
    lasting(seconds(2.5, 20));
    etcd.startAll();
    assertAllAreServedInOrder();
  }

  @Test
  void waitersOfAGatewayBehindADeadWireAreAnsweredAndTheOthersServedThoughHistoryIsCompacted()
      throws IOException {
    etcd(1);
    FaultProxy proxy = proxy(etcd.node(0));
    gateway(EtcdSettings.of(etcd.endpoints()));
    gateway(through(proxy));
    line();
    proxy.blackhole();
    long revision = putMany(FULL ? 10_000 : 1_000);
    etcd.compact(revision);
    lasting(seconds(3, 40));
    proxy.pass();
    within(HEALED.multipliedBy(2), () -> worker(1).renew(held).status() == 200);
    assertThat(worker(0).release(held).status()).isEqualTo(200);
    List<Answer> answers = answers(HEALED.multipliedBy(2));
    List<Answer> unharmed =
        IntStream.range(0, WAITERS).filter(i -> i % 2 == 0).mapToObj(answers::get).toList();
    assertThat(unharmed)
        .as("waited through the gateway that etcd could be reached from")
        .allSatisfy(answer -> assertThat(answer.status()).isEqualTo(200));
    assertTokensRise(unharmed);
    assertThat(answers)
        .allSatisfy(
            answer ->
                assertThat(answer.status() == 200 || "lease-lost".equals(answer.code()))
                    .as("granted, or told that the place in the queue is gone: %s", answer)
                    .isTrue());
    if (!FULL) {
      assertTokensRise(answers.stream().filter(answer -> answer.status() == 200).toList());
    }
    JsonObject request = Worker.request(RESOURCE, WAITERS_TTL_MILLIS, WAIT_MILLIS);
    Lock blocking = worker(0).lock(RESOURCE, HOLDERS_TTL_MILLIS);
    waiting.add(inBackground(() -> waitAndRelease(worker(1), request)));
    eventually(() -> worker(0).show(RESOURCE).getInteger("waiters") == 1);
    worker(0).release(blocking);
    assertThat(answers(HEALED).get(WAITERS).status()).as("watches again").isEqualTo(200);
  }

  /** What others do in the same etcd; the revision after it. */
  private long putMany(int count) {
    Vertx vertx = Vertx.vertx();
    CoordinationStore store =
        EtcdGateway.await(
            EtcdStore.open(
                vertx, EtcdSettings.of(etcd.endpoints()), EtcdGateway.CLOCKS, () -> 0.5));
    long revision = 0;
    for (int i = 0; i < count; i++) {
      Op put = new Op.Put(new Key("others/" + i % 10), Value.of("v" + i), LeaseHandle.NONE);
      Member member = new Member(List.of(), List.of(put), List.of());
      revision =
          EtcdGateway.await(store.commit(new Batch(List.of(), List.of(member), List.of())))
              .revision();
    }
    EtcdGateway.await(store.close());
    EtcdGateway.await(vertx.close());
    return revision;
  }

  @Test
  void aWireThatFlapsLosesNoWaiterAndLeavesNoWatchBehind() throws IOException {
    etcd(1);
    FaultProxy proxy = proxy(etcd.node(0));
    startTwoGateways(through(proxy));
    line();
    double streams = etcd.node(0).metric(STREAMS);
    for (int i = 0; i < (FULL ? 30 : 6); i++) {
      proxy.reset();
      lasting(seconds(0.5, 2));
    }
    within(HEALED, () -> etcd.node(0).metric(STREAMS) == streams);
    assertAllAreServedInOrder();
    assertThat(etcd.node(0).metric(STREAMS)).isEqualTo(streams);
  }
}
