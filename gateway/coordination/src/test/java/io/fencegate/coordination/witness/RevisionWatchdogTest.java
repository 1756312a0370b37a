/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.witness.RevisionWatchdog.Verdict;
import io.fencegate.policy.token.Generation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RevisionWatchdogTest {

  private static final int HISTORIES = Boolean.getBoolean("fencegate.full") ? 20_000 : 1_000;
  private static final int STEPS = 200;
  private static final long CLUSTER = 0xc1;
  private static final long OTHER = 0xc2;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  private static Position at(int generation, long revision) {
    return new Position(new Generation(generation), revision);
  }

  private static RevisionWatchdog knowing(Position highest) {
    return new RevisionWatchdog(new Witness(OptionalLong.of(CLUSTER), highest, Optional.empty()));
  }

  @Test
  void whatAnotherGatewayNoticedCountsUntilTheGenerationIsAboveItsMark() {
    RevisionWatchdog watchdog = knowing(at(1, 50));
    watchdog.answered(watchdog.floor(), at(1, 60));
    watchdog.marked(new Generation(1), at(0, 900), "an older loss");
    assertThat(watchdog.loss()).isEmpty();
    watchdog.marked(new Generation(1), at(3, 900), "a loss");
    assertThat(watchdog.answered(watchdog.floor(), at(1, 61))).isEqualTo(Verdict.LOST);
    assertThat(watchdog.answered(watchdog.floor(), at(3, 62))).isEqualTo(Verdict.LOST);
    assertThat(new RevisionWatchdog(watchdog.witness()).answered(at(0, 0), at(2, 70)))
        .isEqualTo(Verdict.LOST);
    watchdog.marked(new Generation(4), at(3, 900), "a loss");
    assertThat(watchdog.answered(watchdog.floor(), at(4, 63))).isEqualTo(Verdict.INTACT);
    watchdog.marked(new Generation(3), at(3, 900), "heard late");
    assertThat(watchdog.loss()).isEmpty();
  }

  /** A question on its way: judged by the coordinator at some moment before its answer arrives. */
  private static final class Asked {
    final Position floor;
    Position found;

    Asked(Position floor) {
      this.floor = floor;
    }
  }

  /** A coordinator, a gateway and the wire between them, all in one random order. */
  private final class World {
    Position now = at(0, 1);
    RevisionWatchdog watchdog = new RevisionWatchdog(Witness.NOTHING);
    Witness kept = Witness.NOTHING;
    final List<Asked> asked = new ArrayList<>();
    int answers;

    void step() {
      switch (random.nextInt(8)) {
        case 0, 1 -> now = at(now.generation().value(), now.revision() + random.nextInt(5));
        case 2, 3 -> asked.add(new Asked(watchdog.floor()));
        case 4, 5 -> judgeSome();
        case 6 -> answerSome();
        default -> seldom();
      }
    }

    void judgeSome() {
      if (!asked.isEmpty()) {
        Asked some = asked.get(random.nextInt(asked.size()));
        some.found = some.found == null ? now : some.found;
      }
    }

    void answerSome() {
      if (asked.isEmpty()) {
        return;
      }
      Asked some = asked.remove(random.nextInt(asked.size()));
      if (some.found != null && random.nextInt(10) > 0) {
        answers++;
        assertThat(watchdog.answered(some.floor, some.found))
            .as("seed %d, %s after %s", seed, some.found, some.floor)
            .isEqualTo(Verdict.INTACT);
      }
    }

    void seldom() {
      switch (random.nextInt(6)) {
        case 0 -> restart();
        case 1 -> now = at(now.generation().value() + 1, now.revision() + 1);
        case 2 -> kept = watchdog.witness();
        default -> assertThat(watchdog.clusterIs(CLUSTER)).isEqualTo(Verdict.INTACT);
      }
    }

    /** The file may be behind what was seen; what is on its way is never answered. */
    void restart() {
      asked.clear();
      watchdog = new RevisionWatchdog(kept);
    }
  }

  @Test
  void aHealthyHistoryNeverLooksLost() {
    int answers = 0;
    for (int i = 0; i < HISTORIES; i++) {
      World world = new World();
      for (int step = 0; step < STEPS; step++) {
        world.step();
      }
      answers += world.answers;
      assertThat(world.watchdog.loss()).isEmpty();
    }
    assertThat(answers).as("answers were judged at all").isGreaterThan(HISTORIES);
  }

  @Test
  void everyRestoreBelowWhatWasSeenIsNoticedByTheSecondQuestionSentAfterIt() {
    for (int i = 0; i < HISTORIES; i++) {
      World world = new World();
      for (int step = 0; step < STEPS; step++) {
        world.step();
      }
      Position seen = world.watchdog.floor();
      if (seen.revision() < 2) {
        continue;
      }
      Position restored =
          at(
              random.nextInt(seen.generation().value() + 1),
              1 + random.nextInt((int) seen.revision() - 1));
      assertThat(world.watchdog.answered(world.watchdog.floor(), restored))
          .as("seed %d: %s after %s", seed, restored, seen)
          .isEqualTo(Verdict.SUSPECT);
      assertThat(world.watchdog.answered(world.watchdog.floor(), restored)).isEqualTo(Verdict.LOST);
    }
  }

  @Test
  void aLateReplyWithALowerRevisionIsNotBackwards() {
    RevisionWatchdog watchdog = knowing(at(0, 10));
    Position floor = watchdog.floor();
    assertThat(watchdog.answered(watchdog.floor(), at(0, 50))).isEqualTo(Verdict.INTACT);
    for (int late = 11; late < 20; late++) {
      assertThat(watchdog.answered(floor, at(0, late))).isEqualTo(Verdict.INTACT);
    }
    assertThat(watchdog.floor()).isEqualTo(at(0, 50));
  }

  @Test
  void aLossStaysUntilTheGenerationIsRaisedAlsoWhenTheRevisionCatchesUp() {
    RevisionWatchdog watchdog = knowing(at(3, 100));
    watchdog.answered(watchdog.floor(), at(3, 7));
    assertThat(watchdog.answered(watchdog.floor(), at(3, 8))).isEqualTo(Verdict.LOST);
    assertThat(watchdog.answered(watchdog.floor(), at(3, 1_000))).isEqualTo(Verdict.LOST);
    assertThat(watchdog.answered(watchdog.floor(), at(2, 1_000))).isEqualTo(Verdict.LOST);
    assertThat(watchdog.answered(watchdog.floor(), at(4, 9))).isEqualTo(Verdict.INTACT);
    assertThat(watchdog.floor()).isEqualTo(at(4, 9));
    assertThat(watchdog.loss()).isEmpty();
  }

  @Test
  void aLossIsRememberedOverARestartAlsoWhenTheRevisionHasCaughtUp() {
    RevisionWatchdog watchdog = knowing(at(0, 100));
    watchdog.answered(watchdog.floor(), at(0, 7));
    watchdog.answered(watchdog.floor(), at(0, 8));
    RevisionWatchdog restarted = new RevisionWatchdog(watchdog.witness());
    assertThat(restarted.answered(restarted.floor(), at(0, 1_000))).isEqualTo(Verdict.LOST);
    assertThat(restarted.answered(restarted.floor(), at(1, 9))).isEqualTo(Verdict.INTACT);
  }

  @Test
  void anotherClusterIsALossWhateverItsRevision() {
    RevisionWatchdog watchdog = knowing(at(0, 100));
    assertThat(watchdog.answered(watchdog.floor(), at(0, 5_000))).isEqualTo(Verdict.INTACT);
    assertThat(watchdog.clusterIs(OTHER)).isEqualTo(Verdict.LOST);
    assertThat(watchdog.answered(watchdog.floor(), at(1, 6_000))).isEqualTo(Verdict.INTACT);
    assertThat(watchdog.clusterIs(OTHER)).isEqualTo(Verdict.INTACT);
    assertThat(watchdog.witness().cluster()).hasValue(OTHER);
  }

  @Test
  void anotherClusterWhoseGenerationWasRaisedAlreadyIsTaken() {
    RevisionWatchdog watchdog = knowing(at(0, 100));
    assertThat(watchdog.clusterIs(OTHER)).isEqualTo(Verdict.INTACT);
    assertThat(watchdog.answered(watchdog.floor(), at(1, 5))).isEqualTo(Verdict.INTACT);
    assertThat(watchdog.witness().cluster()).hasValue(OTHER);
    assertThat(watchdog.clusterIs(CLUSTER)).isEqualTo(Verdict.LOST);
  }

  @Test
  void theFirstClusterEverSeenIsTaken() {
    RevisionWatchdog watchdog = new RevisionWatchdog(Witness.NOTHING);
    assertThat(watchdog.clusterIs(OTHER)).isEqualTo(Verdict.INTACT);
    assertThat(watchdog.answered(watchdog.floor(), at(0, 2))).isEqualTo(Verdict.INTACT);
    assertThat(watchdog.witness())
        .isEqualTo(new Witness(OptionalLong.of(OTHER), at(0, 2), Optional.empty()));
  }
}
