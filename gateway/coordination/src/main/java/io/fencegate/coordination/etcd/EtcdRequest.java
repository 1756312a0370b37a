/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.fencegate.coordination.etcd.EtcdFailures.Fate;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.time.Clocks;
import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The way of one question: waits for a usable node and for a token, is sent, and is sent again only
 * where that does no harm: because etcd refused it before it ran, or because it has no effect. Ends
 * within its deadline, in an answer or in {@link StoreException}. Lives on the loop; the bridge
 * from its thread to the caller's.
 *
 * <p>Under the space alarm puts are refused here: etcd 3.4 does not see those in nested
 * transactions, and would go on beyond its quota.
 */
final class EtcdRequest<Q, A, T> {

  /** A question without effect goes to another node when one is slower than this. */
  private static final Duration PATIENCE_PER_NODE = Duration.ofSeconds(2);

  private static final Duration FIRST_RETRY = Duration.ofMillis(40);
  private static final Duration LAST_RETRY = Duration.ofMillis(500);

  /** A token may be refused once because it is old; a fresh one that is refused is no use. */
  private static final int MAX_LOGINS = 2;

  /** What requests share. */
  record Shared(EtcdLoop loop, EtcdNodes nodes, EtcdLogin login, Clocks clocks) {}

  private final Shared shared;
  private final EtcdQuestion<Q, A, T> question;
  private final Runnable onDone;
  private final long deadlineNanos;
  private final CompletableFuture<T> answer = new CompletableFuture<>();
  private Runnable cancelTimer = () -> {};
  private Runnable stopWaiting = () -> {};
  private Optional<EtcdNode> failedAt = Optional.empty();
  private Optional<StoreException> lastFailure = Optional.empty();
  private boolean underWay;
  private int failures;
  private int logins;

  EtcdRequest(Shared shared, EtcdQuestion<Q, A, T> question, Runnable onDone) {
    this.shared = shared;
    this.onDone = onDone;
    this.question = question;
    this.deadlineNanos = shared.clocks().read().monotonicNanos() + question.deadline().toNanos();
  }

  /** Completes on the loop. */
  CompletionStage<T> answer() {
    return answer;
  }

  /** Sets out, on the loop. */
  void start() {
    cancelTimer = shared.loop().after(remaining(), this::outOfTime);
    attempt();
  }

  /** Refused without being sent. */
  void refuse(String reason) {
    fail(new StoreException(StoreException.Kind.DEFINITE, reason));
  }

  private void attempt() {
    if (answer.isDone()) {
      return;
    }
    Optional<EtcdNode> node =
        failedAt.isPresent() ? shared.nodes().bestBeside(failedAt.get()) : shared.nodes().best();
    if (node.isEmpty()) {
      stopWaiting = shared.nodes().whenUsable(this::attempt);
      return;
    }
    shared.login().token(node.get(), token -> withToken(node.get(), token));
  }

  private void withToken(EtcdNode node, EtcdLogin.Answer token) {
    if (answer.isDone()) {
      return;
    }
    if (token instanceof EtcdLogin.Token known) {
      send(node, known.value());
    } else if (token instanceof EtcdLogin.Refused refused) {
      refuse(refused.reason());
    } else if (token instanceof EtcdLogin.NotNow notNow) {
      again(node, new StoreException(StoreException.Kind.DEFINITE, notNow.reason()));
    }
  }

  private void send(EtcdNode node, Optional<String> token) {
    Duration remaining = remaining();
    if (remaining.isZero()) {
      outOfTime();
      return;
    }
    if (question.effect() == Effect.PUTS && node.hasSpaceAlarm()) {
      fail(new StoreException(StoreException.Kind.NO_SPACE, "etcd has its space alarm on"));
      return;
    }
    boolean shorten =
        question.effect().mayBeRepeated() && remaining.compareTo(PATIENCE_PER_NODE) > 0;
    boolean spaceAlarm = node.hasSpaceAlarm();
    underWay = true;
    node.ask(
        question.method(),
        question.request(),
        new EtcdNode.Terms(token, shorten ? PATIENCE_PER_NODE : remaining),
        new UnaryListener.Outcome<>() {
          @Override
          public void answered(A received) {
            underWay = false;
            onAnswer(node, received);
          }

          @Override
          public void failed(Status status) {
            underWay = false;
            onFailure(node, token, status, EtcdFailures.sort(status, spaceAlarm));
          }
        });
  }

  private void onAnswer(EtcdNode node, A received) {
    T read;
    try {
      shared.nodes().requireOurs(question.header().apply(received));
      read = question.reading().apply(received);
    } catch (RuntimeException e) {
      onNonsense(node, e);
      return;
    }
    cancelTimer.run();
    if (answer.complete(read)) {
      onDone.run();
    }
  }

  /** Like no answer: where asking again does no harm, another one may make sense. */
  private void onNonsense(EtcdNode node, RuntimeException reason) {
    node.probeSoon();
    StoreException failure =
        new StoreException(
            EtcdFailures.kind(Fate.INDEFINITE, question.effect()),
            "the answer of etcd at " + node.name() + " makes no sense: " + reason.getMessage(),
            reason);
    if (question.effect().mayBeRepeated()) {
      again(node, failure);
    } else {
      fail(failure);
    }
  }

  private void onFailure(EtcdNode node, Optional<String> token, Status status, Fate fate) {
    if (EtcdFailures.saysNoSpace(status)) {
      node.probeSoon();
    }
    StoreException failure =
        new StoreException(
            EtcdFailures.kind(fate, question.effect()),
            "etcd at " + node.name() + ": " + EtcdFailures.describe(status),
            status.asRuntimeException());
    boolean mayRepeat =
        switch (fate) {
          case TOKEN_REFUSED -> shared.login().isConfigured() && ++logins < MAX_LOGINS;
          case NOT_TAKEN -> true;
          case INDEFINITE -> question.effect().mayBeRepeated() && !EtcdFailures.saysNoSpace(status);
          case DEFINITE, LEASE_GONE, NO_SPACE -> false;
        };
    if (fate == Fate.TOKEN_REFUSED) {
      shared.login().forget(token);
    }
    if (mayRepeat) {
      again(node, failure);
    } else {
      fail(failure);
    }
  }

  private void again(EtcdNode node, StoreException failure) {
    lastFailure = Optional.of(failure);
    failedAt = Optional.of(node);
    Duration wait = shared.loop().backoff(FIRST_RETRY, LAST_RETRY, failures++);
    if (wait.compareTo(remaining()) >= 0) {
      fail(failure);
    } else {
      stopWaiting = shared.loop().after(wait, this::attempt);
    }
  }

  /** While it is under way, gRPC ends it at the same deadline. */
  private void outOfTime() {
    if (!underWay && !answer.isDone()) {
      stopWaiting.run();
      fail(
          lastFailure.orElseGet(
              () ->
                  new StoreException(
                      StoreException.Kind.DEFINITE,
                      "no etcd node is usable: " + shared.nodes().trouble())));
    }
  }

  private void fail(StoreException failure) {
    cancelTimer.run();
    if (answer.completeExceptionally(failure)) {
      onDone.run();
    }
  }

  private Duration remaining() {
    long nanos = deadlineNanos - shared.clocks().read().monotonicNanos();
    return Duration.ofNanos(Math.max(0, nanos));
  }
}
