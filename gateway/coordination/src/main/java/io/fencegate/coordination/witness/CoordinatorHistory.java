/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.witness;

import io.fencegate.coordination.key.HistoryLostRecord;
import io.fencegate.coordination.witness.RevisionWatchdog.Verdict;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this gateway knows of its coordinator's history, kept over restarts in a file, and whether
 * the coordinator still has all of it.
 *
 * <p>The file may be behind by {@link #WRITE_EVERY}, so after a crash a restore to a moment within
 * the last second before it goes unnoticed; everything older does not.
 *
 * <p>Used from one context; the file is written by worker threads.
 */
public final class CoordinatorHistory {

  /** How often the file follows; an fsync a second is nothing beside those of the coordinator. */
  public static final Duration WRITE_EVERY = Duration.ofSeconds(1);

  private static final String WHAT_TO_DO =
      "; nothing is granted until an operator raises the generation (POST"
          + " /admin/v1/cluster/generation)";

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorHistory.class);

  private final Vertx vertx;
  private final @Nullable Kept kept;
  private final RevisionWatchdog watchdog;
  private final List<Runnable> onLoss = new ArrayList<>();
  private Witness written;
  private Future<Void> writing = Future.succeededFuture();
  private @Nullable String writeTrouble;
  private @Nullable Contradiction contradiction;
  private boolean toldLoss;
  private long timer = -1;

  /** A resource for which a higher token than the present holder's was accepted before. */
  private record Contradiction(ResourceName resource, FencingToken token, FencingToken epoch) {
    String reason() {
      return "token "
          + epoch
          + " was accepted for "
          + resource
          + " before, but the lock's present holder was given "
          + token;
    }
  }

  private CoordinatorHistory(Vertx vertx, @Nullable Kept kept, Witness witness) {
    this.vertx = vertx;
    this.kept = kept;
    this.written = witness;
    this.watchdog = new RevisionWatchdog(witness);
  }

  /**
   * Goes on from what the file in {@code directory} says, which is this gateway's alone until the
   * history is closed. Fails with {@link UnusableWitness} where the file cannot be trusted, with
   * {@link WitnessInUse} where another gateway has the directory.
   */
  public static Future<CoordinatorHistory> open(Vertx vertx, Path directory) {
    WitnessFile file = new WitnessFile(directory);
    return vertx
        .executeBlocking(() -> new Kept(file, file.keep()))
        .compose(kept -> opened(vertx, kept));
  }

  /** The file, and the lock that keeps others from it. */
  private record Kept(WitnessFile file, FileChannel lock) {}

  private static Future<CoordinatorHistory> opened(Vertx vertx, Kept kept) {
    return vertx
        .executeBlocking(kept.file()::read)
        .onFailure(unusable -> release(kept))
        .map(
            witness -> {
              CoordinatorHistory history = new CoordinatorHistory(vertx, kept, witness);
              history.tellLoss();
              history.timer =
                  vertx.setPeriodic(WRITE_EVERY.toMillis(), unused -> history.writeIfMoved());
              return history;
            });
  }

  /** Remembers nothing beyond this process. */
  public static CoordinatorHistory unrecorded(Vertx vertx) {
    return new CoordinatorHistory(vertx, null, Witness.NOTHING);
  }

  /** Told when history was found to be lost: what was confirmed before counts no more. */
  public void onLoss(Runnable listener) {
    onLoss.add(listener);
  }

  /** What a linearizable answer to a question that is sent now may not be below. */
  public Position floor() {
    return watchdog.floor();
  }

  /**
   * Judges a linearizable answer.
   *
   * @param floor as it was when the question was sent
   * @param generation that the answer was given in
   */
  public Verdict answered(Position floor, Generation generation, long revision) {
    return answered(floor, new Position(generation, revision), Optional.empty());
  }

  /**
   * The same of an answer that was asked for what other gateways have noticed as well.
   *
   * @param mark the coordinator's, as this very answer says
   */
  public Verdict answered(Position floor, Position found, Optional<HistoryLostRecord> mark) {
    mark.ifPresent(
        it ->
            watchdog.marked(
                found.generation(), new Position(it.generation(), it.revision()), it.reason()));
    Verdict verdict = watchdog.answered(floor, found);
    followed();
    return verdict;
  }

  /** What all other gateways have to be told, if anything. */
  public Optional<HistoryLostRecord> mark() {
    Position highest = watchdog.floor();
    return watchdog
        .loss()
        .map(
            loss -> new HistoryLostRecord(highest.generation(), highest.revision(), loss.reason()));
  }

  /** The coordinator has told whose data it holds. */
  public void clusterIs(long id) {
    watchdog.clusterIs(id);
    followed();
  }

  /**
   * The present holder's token is below an epoch that was accepted before it. That stops only its
   * own resource: its downstream may be shared with another coordinator.
   */
  public void contradicted(ResourceName resource, FencingToken token, FencingToken epoch) {
    if (contradiction == null) {
      contradiction = new Contradiction(resource, token, epoch);
      LOG.error(
          "{}: was the coordinator restored from a backup? Then an operator has to raise its"
              + " generation (POST /admin/v1/cluster/generation)",
          contradiction.reason());
    } else if (epoch.isAbove(contradiction.epoch())) {
      contradiction = new Contradiction(resource, token, epoch);
    }
  }

  private void followed() {
    boolean lost = watchdog.loss().isPresent();
    if (lost && !toldLoss) {
      tellLoss();
      onLoss.forEach(Runnable::run);
      writeIfMoved();
    }
    if (!lost && toldLoss) {
      toldLoss = false;
      LOG.info("the coordinator's history goes on at {}", watchdog.floor());
      writeIfMoved();
    }
    if (contradiction != null
        && watchdog.floor().generation().compareTo(contradiction.epoch().generation()) > 0) {
      contradiction = null;
    }
  }

  private void tellLoss() {
    watchdog
        .loss()
        .ifPresent(
            loss -> {
              toldLoss = true;
              LOG.error("the coordinator has lost history: {}{}", loss.reason(), WHAT_TO_DO);
            });
  }

  /** Why nothing may be granted or confirmed, if so. */
  public Optional<Refusal> refusal() {
    return watchdog
        .loss()
        .map(loss -> RefusalCode.TOKEN_BELOW_FLOOR.because(loss.reason() + WHAT_TO_DO));
  }

  /** What is wrong, for people; empty where history is known to be intact. */
  public Optional<String> trouble() {
    return watchdog
        .loss()
        .map(Loss::reason)
        .or(() -> Optional.ofNullable(contradiction).map(Contradiction::reason));
  }

  /** Why the witness cannot be kept at present, if so. */
  public Optional<String> writeTrouble() {
    return Optional.ofNullable(writeTrouble);
  }

  /** The highest generation that any accepted token is known to be of. */
  public Generation highestGeneration() {
    Generation seen = watchdog.floor().generation();
    return contradiction == null || contradiction.epoch().generation().compareTo(seen) < 0
        ? seen
        : contradiction.epoch().generation();
  }

  /** Makes the last position durable. The history is not used any more. */
  public Future<Void> close() {
    vertx.cancelTimer(timer);
    Kept ours = kept;
    return writing
        .transform(unused -> write())
        .onComplete(
            unused -> {
              if (ours != null) {
                release(ours);
              }
            });
  }

  private static void release(Kept kept) {
    try {
      kept.lock().close();
    } catch (IOException e) {
      LOG.warn("the lock on the witness was not released, it ends with the process", e);
    }
  }

  private void writeIfMoved() {
    if (writing.isComplete()) {
      writing = write();
    }
  }

  private Future<Void> write() {
    Witness witness = watchdog.witness();
    Kept into = kept;
    if (into == null || witness.equals(written)) {
      return Future.succeededFuture();
    }
    return vertx
        .executeBlocking(
            () -> {
              into.file().write(witness);
              return true;
            })
        .onSuccess(
            unused -> {
              written = witness;
              writeTrouble = null;
            })
        .onFailure(this::notWritten)
        .mapEmpty();
  }

  private void notWritten(Throwable failure) {
    if (writeTrouble == null) {
      LOG.warn(
          "the witness of the coordinator's history cannot be written, a restore may go unnoticed:"
              + " {}",
          failure.toString());
    }
    writeTrouble = String.valueOf(failure.getMessage());
  }
}
