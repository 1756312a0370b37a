/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Forwards that could outlive the lease of their writer; the adapter itself would wait for 4 s. */
class LeaseBoundWritesTest {

  private static final long SHORT_MILLIS = 2_000;

  @TempDir static Path folder;
  private static ProxyFixture fixture;

  @BeforeAll
  static void start() throws IOException {
    fixture = new ProxyFixture(folder, Way.DIRECT);
  }

  @AfterAll
  static void stop() {
    fixture.close();
  }

  private static Lock acquireShortly(String policy) {
    return ApiClient.lock(fixture.api.tryAcquire(fixture.fresh(policy), SHORT_MILLIS));
  }

  private static boolean renewed(Lock lock) {
    JsonObject body =
        new JsonObject().put("resource", lock.resource()).put("leaseId", lock.leaseId());
    return fixture.api.post("/v1/locks/renew", body).status() == 200;
  }

  @Test
  void aForwardIsCutBeforeTheLeaseOfItsWriterEnds() {
    long start = System.nanoTime();
    Lock lock = acquireShortly("ledger");
    Answer answer = fixture.send(lock, "POST", "never", "x");
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isLessThan(Duration.ofMillis(SHORT_MILLIS + 1_500));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(504);
    assertThat(answer.code()).isEqualTo("outcome-unknown");
    assertThat(answer.json().getString("detail")).contains("lease");
    Lock next = fixture.handOver(lock);
    assertThat(fixture.send(next, "POST", "next", "x").code()).isEqualTo("predecessor-unresolved");
  }

  @Test
  void whoRenewsItsLeaseHasTheTimeOfTheRenewedOne() {
    Lock lock = acquireShortly("ledger");
    long start = System.nanoTime();
    assertThat(fixture.send(lock, "POST", "first", "x").status()).isEqualTo(200);
    await()
        .pollInterval(Duration.ofMillis(100))
        .until(() -> renewed(lock) && System.nanoTime() - start > 1_600_000_000L);
    Answer answer = fixture.send(lock, "POST", "late-1200", "x");
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("late");
  }

  @Test
  void whereNoLeaseIsRequiredNoneBoundsTheForward() {
    Lock lock = acquireShortly("unleased");
    Answer answer = fixture.send(lock, "POST", "late-3000", "x");
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("late");
  }
}
