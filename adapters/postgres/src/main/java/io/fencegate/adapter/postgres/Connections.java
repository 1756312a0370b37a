/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The pool: lends sessions to functions and takes back only those whose transaction has ended for
 * certain. It is not the driver's, because that one cannot close a connection that is waiting for
 * an answer. One context, no locks.
 */
final class Connections {

  /**
   * Who wants a session.
   *
   * @param resource whose share of the pool is used; null for the adapter's own errands
   * @param urgent before those who wait: what settles a write that holds others up
   */
  record Errand(@Nullable ResourceName resource, long deadlineNanos, boolean urgent) {
    static Errand write(ResourceName resource, long deadlineNanos) {
      return new Errand(resource, deadlineNanos, false);
    }

    static Errand urgent(long deadlineNanos) {
      return new Errand(null, deadlineNanos, true);
    }

    static Errand own(long deadlineNanos) {
      return new Errand(null, deadlineNanos, false);
    }
  }

  /** One resource may use this part of the pool: a busy or blocked one cannot starve the others. */
  private static final int SHARES = 4;

  /** The part of a write's time that it may spend waiting, so that some is left to write. */
  private static final int WAITING_PART = 2;

  private final Vertx vertx;
  private final Clocks clocks;
  private final PostgresSettings settings;
  private final Turnstile pool;
  private final Map<ResourceName, Turnstile> shares = new HashMap<>();
  private final Deque<Session> idle = new ArrayDeque<>();
  private boolean closed;

  Connections(Vertx vertx, Clocks clocks, PostgresSettings settings) {
    this.vertx = vertx;
    this.clocks = clocks;
    this.settings = settings;
    this.pool = new Turnstile(vertx, settings.poolSize());
  }

  /**
   * Runs {@code work} with a session. Fails with {@link PgFailures.Refused} only where there was no
   * session and so nothing was sent; otherwise the answer is that of {@code work}.
   */
  <T> Future<T> lend(Errand errand, Function<Session, Future<T>> work) {
    ResourceName resource = errand.resource();
    if (resource == null) {
      return lendAny(errand, work);
    }
    Turnstile share = shares.computeIfAbsent(resource, unseen -> new Turnstile(vertx, share()));
    return share
        .enter(waitMillis(errand), errand.urgent())
        .compose(in -> lendAny(errand, work).onComplete(out -> leave(resource, share)));
  }

  private int share() {
    return Math.max(1, settings.poolSize() / SHARES);
  }

  private void leave(ResourceName resource, Turnstile share) {
    share.leave();
    if (share.isUnused()) {
      shares.remove(resource, share);
    }
  }

  private <T> Future<T> lendAny(Errand errand, Function<Session, Future<T>> work) {
    return pool.enter(waitMillis(errand), errand.urgent())
        .compose(
            in ->
                session(errand)
                    .compose(session -> lent(session, work))
                    .onComplete(out -> pool.leave()));
  }

  /** Composed, so that a defect in the work is a failure too and the session comes back. */
  private <T> Future<T> lent(Session session, Function<Session, Future<T>> work) {
    return Future.succeededFuture(session).compose(work).onComplete(done -> takeBack(session));
  }

  private long waitMillis(Errand errand) {
    return clocks.read().millisUntil(errand.deadlineNanos()) / WAITING_PART;
  }

  private Future<Session> session(Errand errand) {
    Session last = idle.pollLast();
    while (last != null && !last.isOpen()) {
      last = idle.pollLast();
    }
    return last == null ? connect(errand) : Future.succeededFuture(last);
  }

  private Future<Session> connect(Errand errand) {
    ClockReading now = clocks.read();
    long longest = Math.min(settings.timeout().toMillis(), now.millisUntil(errand.deadlineNanos()));
    Future<Session> connecting = Session.connect(vertx, settings.connectOptions());
    Future<Session> inTime = Within.millis(connecting, longest);
    return inTime.recover(
        failure -> {
          connecting.onSuccess(Session::destroy);
          return Future.failedFuture(new PgFailures.Refused(refusalOf(failure)));
        });
  }

  /** Why there was no session, or what was said where there was none. */
  Refusal refusalOf(Throwable failure) {
    return PgFailures.ofConnect(failure, settings.place());
  }

  private void takeBack(Session session) {
    if (session.isReusable() && !closed) {
      idle.addLast(session);
    } else {
      session.destroy();
    }
  }

  /** Completes when every session is back and closed. Idempotent. */
  Future<Void> close() {
    closed = true;
    idle.forEach(Session::destroy);
    idle.clear();
    shares.values().forEach(Turnstile::close);
    return pool.close();
  }
}
