/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.ReconcileOutcome;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.WriteOutcome;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes on asking what became of a write whose caller was told that it is unknown, so that the audit
 * trail gets its end. Never sends the write again. Used from one context.
 */
final class Reconciler {

  /** First pause; doubled after each attempt. */
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  /** With doubling pauses, some 17 minutes in all. */
  private static final int MAX_ATTEMPTS = 10;

  /** Writes that are asked for at once; beyond it new ones are only logged. */
  private static final int MAX_OPEN = 1_000;

  private static final Duration ATTEMPT_BUDGET = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

  private final Vertx vertx;
  private final Clocks clocks;
  private final WriteObserver observer;
  private int open;

  Reconciler(Vertx vertx, Clocks clocks, WriteObserver observer) {
    this.vertx = vertx;
    this.clocks = clocks;
    this.observer = observer;
  }

  /**
   * Goes on asking.
   *
   * @param known called once it is known what became of the write; never where it stays unknown
   */
  void follow(WriteCommand command, String writeId, Runnable known) {
    if (open >= MAX_OPEN) {
      LOG.warn("too many unknown writes to follow; leaving one to {} alone", command.resource());
      return;
    }
    open++;
    askLater(new Question(command, writeId, known), 0);
  }

  private record Question(WriteCommand command, String writeId, Runnable known) {}

  private void askLater(Question question, int attempts) {
    vertx.setTimer(FIRST_PAUSE.toMillis() << attempts, unused -> ask(question, attempts + 1));
  }

  private void ask(Question question, int attempts) {
    long deadlineNanos = clocks.read().monotonicNanos() + ATTEMPT_BUDGET.toNanos();
    question
        .command()
        .adapter()
        .reconcile(question.writeId(), deadlineNanos)
        .otherwise(failure -> new ReconcileOutcome.StillUnknown(String.valueOf(failure)))
        .onSuccess(outcome -> asked(question, attempts, outcome));
  }

  private void asked(Question question, int attempts, ReconcileOutcome outcome) {
    WriteCommand command = question.command();
    if (outcome instanceof ReconcileOutcome.StillUnknown still) {
      if (attempts < MAX_ATTEMPTS) {
        askLater(question, attempts);
        return;
      }
      LOG.error("a write to {} stays unknown: {}", command.resource(), still.reason());
    } else {
      observer.reconciled(command, known(outcome));
      question.known().run();
    }
    open--;
  }

  private static WriteOutcome known(ReconcileOutcome outcome) {
    return outcome instanceof ReconcileOutcome.Applied
        ? new WriteOutcome.Applied("[]", false)
        : new WriteOutcome.Rejected(
            RefusalCode.DOWNSTREAM_UNAVAILABLE.because("it was not applied and never will be"));
  }
}
