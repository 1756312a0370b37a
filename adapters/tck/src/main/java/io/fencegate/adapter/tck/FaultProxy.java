/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on 127.0.0.1 that breaks the wire on demand. A fault that is set holds for all
 * connections, open and new, until {@link #pass}; a fault with a trigger strikes the first
 * connection whose client sends the trigger's text, at exactly that moment, and leaves the others
 * alone. Thread-safe.
 */
public final class FaultProxy {

  /** What is done to bytes. */
  private enum Fault {
    PASS,
    /** Nothing gets through in either direction; connections stay open. */
    BLACKHOLE,
    /** The downstream hears the client, the client hears nothing. */
    SWALLOW_REPLIES,
    /** What the client sends from now on is kept back, its hanging up included. */
    HOLD_REQUESTS,
    /** New connections are closed at once. */
    CUT
  }

  private record Trigger(String text, Fault fault) {}

  private final Vertx vertx;
  private final String targetHost;
  private final int targetPort;
  private final NetServer server;
  private final NetClient client;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private volatile Fault fault = Fault.PASS;
  private volatile Duration delay = Duration.ZERO;
  private volatile @Nullable Trigger trigger;
  private volatile boolean struck;

  private FaultProxy(Vertx vertx, String targetHost, int targetPort) {
    this.vertx = vertx;
    this.targetHost = targetHost;
    this.targetPort = targetPort;
    this.server = vertx.createNetServer();
    this.client = vertx.createNetClient();
  }

  /** A proxy on a free port that passes everything. */
  public static Future<FaultProxy> start(Vertx vertx, String targetHost, int targetPort) {
    FaultProxy proxy = new FaultProxy(vertx, targetHost, targetPort);
    return proxy
        .server
        .connectHandler(proxy::accept)
        .listen(0, "127.0.0.1")
        .map(listening -> proxy);
  }

  public int port() {
    return server.actualPort();
  }

  /** Ends every fault; what was held back is sent. */
  public void pass() {
    trigger = null;
    delay = Duration.ZERO;
    fault = Fault.PASS;
    links.forEach(link -> link.context.runOnContext(turn -> link.heal()));
  }

  public void blackhole() {
    fault = Fault.BLACKHOLE;
  }

  public void swallowReplies() {
    fault = Fault.SWALLOW_REPLIES;
  }

  /** Closes every connection and every new one until {@link #pass}. */
  public void cut() {
    fault = Fault.CUT;
    links.forEach(Link::close);
  }

  /** Closes every connection; new ones pass. */
  public void reset() {
    links.forEach(Link::close);
  }

  /** Delays what clients send; bytes keep their order. */
  public void delay(Duration each) {
    delay = each;
  }

  /** The request with this text arrives; its reply and all later ones do not. */
  public void swallowRepliesOnceSent(String text) {
    arm(new Trigger(text, Fault.SWALLOW_REPLIES));
  }

  /** The connection is closed instead of sending this text on. */
  public void cutOnceSent(String text) {
    arm(new Trigger(text, Fault.CUT));
  }

  /** The request with this text and all that follows it wait here until {@link #pass}. */
  public void holdOnceSent(String text) {
    arm(new Trigger(text, Fault.HOLD_REQUESTS));
  }

  private void arm(Trigger next) {
    struck = false;
    trigger = next;
  }

  /** Whether the trigger that was set last has struck. */
  public boolean hasStruck() {
    return struck;
  }

  /** Connections that are open on the downstream's side. */
  public int open() {
    return links.size();
  }

  public Future<Void> close() {
    links.forEach(Link::close);
    return server.close().eventually(client::close);
  }

  private void accept(NetSocket from) {
    from.exceptionHandler(broken -> from.close());
    if (fault == Fault.CUT) {
      from.close();
      return;
    }
    from.pause();
    client
        .connect(targetPort, targetHost)
        .onSuccess(to -> new Link(from, to).join())
        .onFailure(unreachable -> from.close());
  }

  /** One client's connection and the one that was made for it; bytes move on one context. */
  private final class Link {
    private final Context context = vertx.getOrCreateContext();
    private final NetSocket from;
    private final NetSocket to;
    private final List<Buffer> held = new ArrayList<>();
    private volatile @Nullable Fault own;
    private boolean clientGone;

    Link(NetSocket from, NetSocket to) {
      this.from = from;
      this.to = to;
    }

    void join() {
      links.add(this);
      from.handler(this::request);
      to.handler(this::reply);
      from.closeHandler(gone -> clientLeft());
      to.closeHandler(gone -> close());
      to.exceptionHandler(broken -> close());
      from.resume();
    }

    private Fault present() {
      Fault mine = own;
      return mine == null ? fault : mine;
    }

    private void request(Buffer bytes) {
      Trigger armed = trigger;
      if (armed != null && bytes.toString(StandardCharsets.ISO_8859_1).contains(armed.text())) {
        trigger = null;
        own = armed.fault();
        struck = true;
      }
      switch (present()) {
        case PASS, SWALLOW_REPLIES -> forward(bytes);
        case HOLD_REQUESTS -> held.add(bytes);
        case CUT -> close();
        case BLACKHOLE -> {}
      }
    }

    private void forward(Buffer bytes) {
      Duration wait = delay;
      if (wait.isZero()) {
        to.write(bytes);
      } else {
        vertx.setTimer(wait.toMillis(), due -> to.write(bytes));
      }
    }

    private void reply(Buffer bytes) {
      Fault now = present();
      if (now == Fault.PASS || now == Fault.HOLD_REQUESTS) {
        from.write(bytes);
      }
    }

    /** A client's hanging up is a message too: it is kept back like the others. */
    private void clientLeft() {
      clientGone = true;
      if (present() != Fault.HOLD_REQUESTS && present() != Fault.BLACKHOLE) {
        close();
      }
    }

    private void heal() {
      own = null;
      held.forEach(to::write);
      held.clear();
      if (clientGone) {
        to.end().onComplete(sent -> close());
      }
    }

    private void close() {
      links.remove(this);
      from.close();
      to.close();
    }
  }
}
