/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.seeded;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Plays random sequences of steps for a while. Each is drawn from a seed of its own, so that {@code
 * -Dfencegate.seed=N} plays the one that failed first; a sequence that fails is made short and told
 * step by step.
 *
 * @param draws a sequence from a source of randomness
 * @param player plays a sequence from the beginning, each time on new ground
 * @param simpler see {@link Shrinker}
 */
public record SeededSequences<S>(
    Function<Random, List<S>> draws, Player<S> player, Function<S, List<S>> simpler) {

  /** Long enough to get a sequence of hundreds of steps down to a few. */
  private static final Duration SHRINKING = Duration.ofSeconds(90);

  /** Plays a sequence, and fails where something is wrong. */
  public interface Player<S> {
    void play(List<S> steps);
  }

  /** How much was played without a failure. */
  public record Played(long seed, int sequences, int steps) {}

  /** Plays one sequence after another until the time is over and there were so many steps. */
  public Played play(Duration time, int leastSteps) {
    Long given = Long.getLong("fencegate.seed");
    long seed = given != null ? given : new Random().nextLong() >>> 16;
    long startNanos = System.nanoTime();
    int sequences = 0;
    int steps = 0;
    do {
      List<S> sequence = draws.apply(source(seed + sequences));
      playOne(seed + sequences, sequence);
      sequences++;
      steps += sequence.size();
    } while (steps < leastSteps || System.nanoTime() - startNanos < time.toNanos());
    return new Played(seed, sequences, steps);
  }

  /** Neighbouring seeds of {@link Random} begin alike, those of {@link SplittableRandom} do not. */
  private static Random source(long seed) {
    return new Random(new SplittableRandom(seed).nextLong());
  }

  private void playOne(long seed, List<S> sequence) {
    try {
      player.play(sequence);
    } catch (AssertionError | RuntimeException failure) {
      System.out.println("seed " + seed + " fails: " + failure);
      throw new AssertionError(report(seed, sequence, failure), failure);
    }
  }

  private String report(long seed, List<S> sequence, Throwable first) {
    long startNanos = System.nanoTime();
    AtomicReference<Throwable> last = new AtomicReference<>(first);
    Shrinker<S> shrinker =
        new Shrinker<>(
            steps -> fails(steps, last),
            simpler,
            () -> System.nanoTime() - startNanos < SHRINKING.toNanos());
    List<S> shortest = shrinker.shrink(sequence);
    StringBuilder out = new StringBuilder();
    out.append("-Dfencegate.seed=").append(seed).append(" fails, in short:");
    IntStream.range(0, shortest.size())
        .forEach(i -> out.append("\n  ").append(i + 1).append(". ").append(shortest.get(i)));
    return out.append("\n").append(last.get().getMessage()).toString();
  }

  private boolean fails(List<S> steps, AtomicReference<Throwable> last) {
    try {
      player.play(steps);
      return false;
    } catch (AssertionError | RuntimeException failure) {
      last.set(failure);
      return true;
    }
  }
}
