/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.witness;

import io.fencegate.policy.token.Generation;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Judges a coordinator's answers against what was seen of it before; no I/O, no clock.
 *
 * <p>Answers arrive in another order than they were given, so a lower position than the last one is
 * nothing unusual. But a linearizable answer is never below a position that was known <em>before
 * its question was sent</em>. Two such answers in a row mean that history was lost. That stays so,
 * also when the revision has caught up meanwhile, until the generation is above every one seen
 * before the loss: only then is every token that is issued above every one that was.
 *
 * <p>A coordinator with another identity has lost all of its history as far as this gateway is
 * concerned: its tokens may be higher, but the locks that are held are unknown to it.
 *
 * <p>What one gateway has noticed counts for all, for the others may not have asked in time.
 */
public final class RevisionWatchdog {

  /** Answers in a row that have to be below what was seen. */
  private static final int ENOUGH = 2;

  /** What an answer shows. */
  public enum Verdict {
    /** Nothing is wrong. */
    INTACT,
    /** Below what was seen, for the first time: ask again before using the answer. */
    SUSPECT,
    /** History was lost and the generation not raised since. */
    LOST
  }

  private Position highest;
  private @Nullable Long cluster;
  private Generation clusterConfirmedIn;
  private @Nullable Long clusterFound;
  private @Nullable Loss loss;
  private boolean answered;
  private int belowInARow;

  /** Goes on from what is known of earlier times. */
  public RevisionWatchdog(Witness witness) {
    this.highest = witness.highest();
    this.cluster = witness.cluster().isPresent() ? witness.cluster().getAsLong() : null;
    this.clusterConfirmedIn = witness.highest().generation();
    this.loss = witness.loss().map(Loss.NoticedBefore::new).orElse(null);
  }

  /** What a linearizable answer to a question that is sent now may not be below. */
  public Position floor() {
    return highest;
  }

  /**
   * Judges a linearizable answer.
   *
   * @param floor as it was when the question was sent
   */
  public Verdict answered(Position floor, Position found) {
    answered = true;
    if (loss != null) {
      return found.generation().compareTo(highest.generation()) > 0
          ? startedAnew(found)
          : Verdict.LOST;
    }
    if (found.isBelow(floor)) {
      belowInARow++;
      return belowInARow < ENOUGH ? Verdict.SUSPECT : lose(new Loss.WentBackwards(floor, found));
    }
    belowInARow = 0;
    if (highest.isBelow(found)) {
      highest = found;
    }
    return judgeCluster();
  }

  private Verdict startedAnew(Position found) {
    loss = null;
    highest = found;
    belowInARow = 0;
    cluster = clusterFound;
    clusterConfirmedIn = found.generation();
    return Verdict.INTACT;
  }

  private Verdict lose(Loss found) {
    loss = found;
    return Verdict.LOST;
  }

  /**
   * Another gateway has noticed a loss. That counts until the generation is above the one in its
   * mark, also where an answer from before the raise is heard after it.
   *
   * @param generation of the answer that the mark was in
   * @param seen what that gateway had seen before
   */
  public void marked(Generation generation, Position seen, String reason) {
    Generation marked = seen.generation();
    if (marked.compareTo(generation) < 0 || marked.compareTo(highest.generation()) < 0) {
      return;
    }
    if (highest.isBelow(seen)) {
      highest = seen;
    }
    if (loss == null) {
      lose(new Loss.NoticedElsewhere(reason));
    }
  }

  /** The coordinator has told its identity. */
  public Verdict clusterIs(long id) {
    clusterFound = id;
    return answered || loss != null ? judgeCluster() : Verdict.INTACT;
  }

  /** Another identity is well after the generation was raised: that is what raising is for. */
  private Verdict judgeCluster() {
    if (loss != null) {
      return Verdict.LOST;
    }
    Long found = clusterFound;
    if (found == null) {
      return Verdict.INTACT;
    }
    Long known = cluster;
    boolean raisedSince = highest.generation().compareTo(clusterConfirmedIn) > 0;
    if (known != null && !known.equals(found) && !raisedSince) {
      return lose(new Loss.OtherCluster(known, found));
    }
    cluster = found;
    clusterConfirmedIn = highest.generation();
    return Verdict.INTACT;
  }

  /** What was lost, if anything. */
  public Optional<Loss> loss() {
    return Optional.ofNullable(loss);
  }

  /** What has to be remembered. */
  public Witness witness() {
    return new Witness(
        cluster == null ? OptionalLong.empty() : OptionalLong.of(cluster),
        highest,
        loss().map(Loss::reason));
  }
}
