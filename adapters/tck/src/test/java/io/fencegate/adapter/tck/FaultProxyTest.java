/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {

  private final Vertx vertx = Vertx.vertx();
  private final AtomicReference<String> heard = new AtomicReference<>("");
  private FaultProxy proxy;

  /** One connection through the proxy. */
  private final class Peer {
    final AtomicReference<String> answers = new AtomicReference<>("");
    final AtomicBoolean closed = new AtomicBoolean();
    final NetSocket socket;

    Peer() {
      socket = join(vertx.createNetClient().connect(proxy.port(), "127.0.0.1").map(this::listenTo));
    }

    private NetSocket listenTo(NetSocket opened) {
      opened.handler(
          bytes ->
              answers.accumulateAndGet(bytes.toString(StandardCharsets.UTF_8), String::concat));
      opened.closeHandler(gone -> closed.set(true));
      return opened;
    }

    Peer say(String text) {
      socket.write(text);
      return this;
    }

    /** Asked by writing: a socket that was closed before it had a handler tells nobody. */
    boolean isGone() {
      socket.write(".").onFailure(broken -> closed.set(true));
      return closed.get();
    }

    void isAnswered(String all) {
      await().untilAsserted(() -> assertThat(answers.get()).isEqualTo(all));
    }
  }

  @BeforeEach
  void startEchoBehindTheProxy() {
    NetServer echo = vertx.createNetServer();
    echo.connectHandler(
        socket ->
            socket.handler(
                bytes -> {
                  heard.accumulateAndGet(bytes.toString(StandardCharsets.UTF_8), String::concat);
                  socket.write(bytes);
                }));
    join(echo.listen(0, "127.0.0.1"));
    proxy = join(FaultProxy.start(vertx, "127.0.0.1", echo.actualPort()));
  }

  @AfterEach
  void stop() {
    join(proxy.close());
    join(vertx.close());
  }

  @Test
  void passesBytesBothWays() {
    new Peer().say("a").isAnswered("a");
  }

  @Test
  void swallowedRepliesStillReachTheDownstreamAsRequests() {
    Peer peer = new Peer().say("a");
    peer.isAnswered("a");
    proxy.swallowReplies();
    peer.say("b");
    await().untilAsserted(() -> assertThat(heard).hasToString("ab"));
    assertThat(peer.answers).hasToString("a");
  }

  @Test
  void blackholeLetsNothingThrough() {
    Peer peer = new Peer().say("a");
    peer.isAnswered("a");
    proxy.blackhole();
    peer.say("b");
    Peer other = new Peer().say("c");
    await().during(Duration.ofMillis(100)).until(() -> heard.get().equals("a"));
    assertThat(other.answers).hasToString("");
  }

  @Test
  void cutClosesOpenAndNewConnectionsUntilItPasses() {
    Peer peer = new Peer().say("a");
    peer.isAnswered("a");
    proxy.cut();
    await().until(peer::isGone);
    Peer next = new Peer();
    await().until(next::isGone);
    proxy.pass();
    new Peer().say("b").isAnswered("b");
  }

  @Test
  void resetClosesWhatIsOpenAndLetsNewConnectionsPass() {
    Peer peer = new Peer().say("a");
    peer.isAnswered("a");
    proxy.reset();
    await().until(peer::isGone);
    new Peer().say("b").isAnswered("b");
  }

  @Test
  void triggerStrikesOneConnectionAtItsText() {
    Peer struck = new Peer().say("a");
    struck.isAnswered("a");
    Peer other = new Peer();
    proxy.swallowRepliesOnceSent("COMMIT");
    struck.say("COMMIT");
    await().until(proxy::hasStruck);
    await().untilAsserted(() -> assertThat(heard).hasToString("aCOMMIT"));
    other.say("COMMIT").isAnswered("COMMIT");
    assertThat(struck.answers).hasToString("a");
  }

  @Test
  void heldRequestsArriveLateEvenIfTheClientIsGone() {
    Peer peer = new Peer().say("a");
    peer.isAnswered("a");
    proxy.holdOnceSent("COMMIT");
    peer.say("COMMIT");
    await().until(proxy::hasStruck);
    join(peer.socket.close());
    assertThat(heard).hasToString("a");
    assertThat(proxy.open()).isEqualTo(1);
    proxy.pass();
    await().untilAsserted(() -> assertThat(heard).hasToString("aCOMMIT"));
  }

  @Test
  void delayKeepsTheOrder() {
    Peer peer = new Peer();
    proxy.delay(Duration.ofMillis(20));
    peer.say("a");
    peer.isAnswered("a");
    peer.say("b");
    peer.isAnswered("ab");
  }

  private static <T> T join(Future<T> future) {
    return OnContext.await(future.toCompletionStage().toCompletableFuture());
  }
}
