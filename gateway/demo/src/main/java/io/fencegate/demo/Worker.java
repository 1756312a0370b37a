/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import io.fencegate.client.AcquireRequest;
import io.fencegate.client.AcquireResult;
import io.fencegate.client.FencegateClient;
import io.fencegate.client.HeldLock;
import io.fencegate.client.Operation;
import io.fencegate.client.Problem;
import io.fencegate.client.Write;
import io.fencegate.client.WriteResult;
import io.fencegate.demo.WorkerReport.Kind;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * A settlement worker as one would write it: take the lock of the region, post the file under it,
 * each posting with its id as Idempotency-Key.
 *
 * <p>The one unusual thing is what it does once it finds its authority gone: told to insist, it
 * sends its next posting all the same, under a new key, as a worker would that knows nothing of its
 * pause. Under the posting's own key it would be answered with the stored result; under a new one
 * nothing but the token keeps the posting from being booked twice.
 */
final class Worker {

  /** How far apart reports of progress are. */
  private static final int REPORT_EVERY = 10;

  /** Rounds of patience; together far more than a lease lasts. */
  private static final int ROUNDS = 10;

  /**
   * What a worker is to do.
   *
   * @param patience how long one round of asking for the lock takes
   */
  record Task(URI gateway, String resource, String name, Duration ttl, Duration patience) {}

  private final Task task;
  private final boolean insists;
  private final Consumer<WorkerReport> reports;
  private int applied;
  private int replayed;
  private int unknown;

  Worker(Task task, boolean insists, Consumer<WorkerReport> reports) {
    this.task = task;
    this.insists = insists;
    this.reports = reports;
  }

  /** Does the task; returns whether it did not fail. */
  boolean run(SettlementFile file) {
    try (FencegateClient client = FencegateClient.builder().endpoint(task.gateway()).build()) {
      tell(Kind.ASKING);
      AcquireRequest request =
          AcquireRequest.of(task.resource())
              .withHolder(task.name())
              .withTtl(task.ttl())
              .withPatience(task.patience());
      return acquire(client, request)
          .fold(
              lock -> post(lock, file.postings()),
              problem -> fail("no lock: " + problem.code() + ", " + problem.detail()));
    }
  }

  /** Asks in several rounds, so that the demo hears that it is still waiting and why. */
  private AcquireResult acquire(FencegateClient client, AcquireRequest request) {
    AcquireResult result = client.acquire(request);
    for (int round = 1; round < ROUNDS && result instanceof AcquireResult.NotHeld not; round++) {
      tell(Kind.WAITING, "code", not.problem().code(), "detail", not.problem().detail());
      result = client.acquire(request);
    }
    return result;
  }

  private boolean post(HeldLock lock, List<Posting> postings) {
    try (lock) {
      tell(Kind.HELD, "token", lock.token(), "ttlMillis", lock.ttl().toMillis());
      for (int i = 0; i < postings.size(); i++) {
        Posting posting = postings.get(i);
        WriteResult result = lock.write(entry(posting).withIdempotencyKey(posting.id()));
        if (result instanceof WriteResult.NotSent notSent) {
          tell(Kind.NOT_SENT, "posting", posting.id(), "why", notSent.reason());
          return insists ? insist(lock, posting) : fail("the lock was lost");
        }
        if (result instanceof WriteResult.Refused refused) {
          refused(posting, refused.problem());
          return fail("a posting was refused");
        }
        count(posting, result);
        if ((i + 1) % REPORT_EVERY == 0) {
          progress(i + 1, postings.size());
        }
      }
      done(true);
      return true;
    }
  }

  private static Write entry(Posting posting) {
    return Write.of(
        Operation.of("post-entry")
            .param("posting_id", posting.id())
            .param("account", posting.account())
            .param("currency", posting.currency())
            .param("amount", posting.amount().toPlainString()));
  }

  private void count(Posting posting, WriteResult result) {
    if (result instanceof WriteResult.Applied ok) {
      applied += ok.replayed() ? 0 : 1;
      replayed += ok.replayed() ? 1 : 0;
    } else if (result instanceof WriteResult.Unknown doubt) {
      unknown++;
      tell(Kind.UNKNOWN, "posting", posting.id(), "why", doubt.problem().detail());
    }
  }

  private boolean insist(HeldLock lock, Posting posting) {
    tell(Kind.INSISTING, "posting", posting.id(), "token", lock.token());
    Write again =
        entry(posting).withIdempotencyKey(posting.id() + "/" + task.name()).bypassLocalCheck(true);
    WriteResult result = lock.write(again);
    if (result instanceof WriteResult.Refused refused) {
      refused(posting, refused.problem());
      done(false);
      return true;
    }
    if (result instanceof WriteResult.Applied) {
      tell(Kind.LET_THROUGH, "posting", posting.id());
    }
    return fail("the posting was not refused: " + result.getClass().getSimpleName());
  }

  private void refused(Posting posting, Problem problem) {
    tell(
        Kind.REFUSED,
        "posting",
        posting.id(),
        "status",
        problem.status(),
        "code",
        problem.code(),
        "detail",
        problem.detail());
  }

  private void progress(int done, int of) {
    tell(Kind.PROGRESS, "done", done, "of", of, "applied", applied, "replayed", replayed);
  }

  private void done(boolean complete) {
    tell(
        Kind.DONE,
        "applied",
        applied,
        "replayed",
        replayed,
        "unknown",
        unknown,
        "complete",
        complete);
  }

  private boolean fail(String why) {
    tell(Kind.FAILED, "why", why);
    return false;
  }

  private void tell(Kind kind, Object... facts) {
    reports.accept(WorkerReport.of(kind, facts));
  }
}
