/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is special about writes to a service over HTTP/2, where they share a connection. */
class Http2OrderTest {

  @TempDir static Path folder;
  private static ProxyFixture fixture;

  @BeforeAll
  static void start() throws IOException {
    fixture = new ProxyFixture(folder, Way.OVER_HTTP2);
  }

  @AfterAll
  static void stop() {
    fixture.close();
  }

  @BeforeEach
  void forget() {
    fixture.downstream.forget();
  }

  private static Lock acquire(String policy) {
    return fixture.api.acquire(fixture.fresh(policy));
  }

  @Test
  void theServiceIsSpokenToInHttp2() {
    assertThat(fixture.send(acquire("ledger"), "PUT", "a?b=1", "x").status()).isEqualTo(200);
    HttpDownstream.Seen seen = fixture.downstream.seen().get(0);
    assertThat(seen.version()).isEqualTo(HttpVersion.HTTP_2);
    assertThat(seen.header("Fencing-Token")).isNotEmpty();
  }

  @Test
  void aRefusedStreamIsProofThatNothingWasDone() {
    Lock older = acquire("ledger");
    Answer answer = fixture.send(older, "POST", "refuse-stream", "x");
    assertThat(answer.code()).as(answer.toString()).isEqualTo("downstream-busy");
    assertThat(answer.json().getString("outcome")).isEqualTo("rejected");
    assertThat(fixture.send(fixture.handOver(older), "POST", "next", "x").status()).isEqualTo(200);
  }

  @Test
  void aStreamThatIsResetOtherwiseLeavesTheWriteUnknown() {
    Lock older = acquire("ledger");
    assertThat(fixture.send(older, "POST", "reset-stream", "x").code())
        .isEqualTo("outcome-unknown");
    assertThat(fixture.send(fixture.handOver(older), "POST", "next", "x").code())
        .isEqualTo("predecessor-unresolved");
  }

  @Test
  void aWriteThatIsGivenUpPutsNoOtherOfItsConnectionInDoubt() {
    Lock slow = acquire("ledger");
    Lock other = acquire("ledger");
    CompletableFuture<Answer> given = fixture.start(slow, "never");
    await().until(() -> fixture.downstream.seen().size() == 1);
    CompletableFuture<Answer> late = fixture.start(other, "late-3500");
    assertThat(given.orTimeout(20, TimeUnit.SECONDS).join().code()).isEqualTo("outcome-unknown");
    CompletableFuture<Answer> later = fixture.start(other, "late-1500");
    assertThat(late.orTimeout(20, TimeUnit.SECONDS).join().body()).isEqualTo("late");
    assertThat(later.orTimeout(20, TimeUnit.SECONDS).join().body()).isEqualTo("late");
  }
}
