/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.client.AcquireRequest;
import io.fencegate.client.AcquireResult;
import io.fencegate.client.FencegateClient;
import io.fencegate.client.HeldLock;
import io.fencegate.client.Operation;
import io.fencegate.client.SealResult;
import io.fencegate.client.Write;
import io.fencegate.client.WriteResult;
import io.fencegate.policy.lease.LeaseState;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java SDK against a real gateway. */
class SdkIT {

  private static final String POLICIES =
      """
      apiVersion: fencegate/v1
      adapters:
        log: { type: memory }
      resources:
        - name: log
          match: log/{name}
          adapter: log
          lease: { required: true, ttl: 2s, maxTtl: 60s, maxHold: 1h }
          operations:
            append: { sql: append, params: { text: text } }
      """;

  @TempDir static Path folder;
  private static TestGateways gateways;
  private static FencegateClient client;

  @BeforeAll
  static void start() throws IOException {
    gateways = TestGateways.start(folder, POLICIES, 1);
    client =
        FencegateClient.builder()
            .endpoint(URI.create("http://127.0.0.1:" + gateways.workerPort(0)))
            .build();
  }

  @AfterAll
  static void stop() {
    client.close();
    gateways.close();
  }

  private static HeldLock acquire(String resource, Duration ttl) {
    AcquireResult result = client.acquire(AcquireRequest.of(resource).withTtl(ttl));
    assertThat(result).isInstanceOf(AcquireResult.Held.class);
    return ((AcquireResult.Held) result).lock();
  }

  private static Write append(String text) {
    return Write.of(Operation.of("append").param("text", text)).withIdempotencyKey(text);
  }

  @Test
  void aLockIsHeldFarBeyondItsTtlByRenewalsInTheBackground() {
    try (HeldLock lock = acquire("log/long", Duration.ofSeconds(3))) {
      long endNanos = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                assertThat(lock.state().isLost()).as("never lost in between").isFalse();
                return System.nanoTime() - endNanos > 0
                    && lock.state() instanceof LeaseState.Leading;
              });
      assertThat(lock.write(append("still-mine"))).isInstanceOf(WriteResult.Applied.class);
    }
  }

  @Test
  void writesAreAppliedOnceAndSealsAndReleasesAreAnswered() {
    HeldLock lock = acquire("log/once", Duration.ofSeconds(30));
    WriteResult first = lock.write(append("k1"));
    WriteResult again = lock.write(append("k1"));
    assertThat(((WriteResult.Applied) first).replayed()).isFalse();
    assertThat(((WriteResult.Applied) again).replayed()).isTrue();
    assertThat(((WriteResult.Applied) again).resultsJson())
        .isEqualTo(((WriteResult.Applied) first).resultsJson());
    assertThat(lock.seal()).isInstanceOf(SealResult.Sealed.class);
    lock.close();
    assertThat(lock.write(append("k2"))).isInstanceOf(WriteResult.NotSent.class);
    WriteResult bypassed = lock.write(append("k3").bypassLocalCheck(true));
    assertThat(((WriteResult.Refused) bypassed).problem().code()).isEqualTo("lease-expired");
    assertThat(acquire("log/once", Duration.ofSeconds(30)).token().isAbove(lock.token())).isTrue();
  }
}
