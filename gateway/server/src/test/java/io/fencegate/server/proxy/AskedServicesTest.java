/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services that say themselves what became of a write whose end nobody saw. */
class AskedServicesTest {

  private static final Duration A_FEW_QUESTIONS = Duration.ofSeconds(8);

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

  @BeforeEach
  void forget() {
    fixture.downstream.forget();
    fixture.downstream.applied().clear();
    fixture.downstream.names().asked().clear();
    fixture.downstream.names().forget(false);
  }

  private static Lock acquire() {
    return fixture.api.acquire(fixture.fresh("asked"));
  }

  private static Answer next(Lock lock) {
    return fixture.send(lock, "POST", "next", "x");
  }

  private static void untilPasses(Lock newer) {
    await().atMost(A_FEW_QUESTIONS).until(() -> next(newer).status() == 200);
  }

  @Test
  void whatWasAppliedBeforeTheConnectionBrokeHoldsNobodyUpOnceTheServiceHasSaidSo() {
    Lock older = acquire();
    assertThat(fixture.send(older, "POST", "cut", "x").code()).isEqualTo("outcome-unknown");
    untilPasses(fixture.handOver(older));
    String name = fixture.downstream.seen().get(0).header("Fencing-Write-Id");
    assertThat(name).matches("[A-Za-z0-9_-]+\\.[0-9]+");
    assertThat(fixture.downstream.names().asked()).containsOnly("POST " + name);
  }

  @Test
  void aWriteThatIsStillComingIsShutOutByTheQuestion() {
    Lock older = acquire();
    assertThat(fixture.send(older, "POST", "late-6000", "x").code()).isEqualTo("outcome-unknown");
    Lock newer = fixture.handOver(older);
    untilPasses(newer);
    assertThat(fixture.downstream.applied()).containsExactly(line(newer));
    await()
        .during(Duration.ofSeconds(6))
        .atMost(Duration.ofSeconds(10))
        .until(() -> fixture.downstream.applied().size() == 1);
  }

  private static String line(Lock lock) {
    return lock.resource() + " " + lock.token();
  }

  @Test
  void eachOfSeveralWritesOfOneTokenIsAskedAbout() {
    Lock older = acquire();
    assertThat(fixture.send(older, "POST", "cut", "x").code()).isEqualTo("outcome-unknown");
    assertThat(fixture.send(older, "POST", "status-503", "x").status()).isEqualTo(503);
    untilPasses(fixture.handOver(older));
    assertThat(fixture.downstream.names().asked().stream().distinct()).hasSize(2);
  }

  @Test
  void thatAServiceDoesNotKnowAWriteProvesNothing() {
    fixture.downstream.names().forget(true);
    Lock older = acquire();
    assertThat(fixture.send(older, "POST", "cut", "x").code()).isEqualTo("outcome-unknown");
    Lock newer = fixture.handOver(older);
    await().atMost(A_FEW_QUESTIONS).until(() -> fixture.downstream.names().asked().size() >= 2);
    assertThat(next(newer).code()).isEqualTo("predecessor-unresolved");
    fixture.downstream.names().forget(false);
    untilPasses(newer);
  }

  @Test
  void whoseAdapterCannotAskSendsNoNames() {
    Lock lock = fixture.api.acquire(fixture.fresh("ledger"));
    assertThat(next(lock).status()).isEqualTo(200);
    assertThat(fixture.downstream.seen().get(0).header("Fencing-Write-Id")).isEmpty();
  }
}
