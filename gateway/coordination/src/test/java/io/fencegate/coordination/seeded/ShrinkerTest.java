/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.seeded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShrinkerTest {

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  private static List<Integer> shrink(List<Integer> failing, Predicate<List<Integer>> fails) {
    return new Shrinker<Integer>(
            fails, n -> n > 100 ? List.of(n / 2, n - 1) : List.of(), () -> true)
        .shrink(failing);
  }

  @Test
  void onlyTheStepsThatTheFailureNeedsAreLeftInTheirOrder() {
    assertThat(shrink(numbers(90), steps -> steps.containsAll(List.of(3, 41, 88))))
        .containsExactly(3, 41, 88);
  }

  @Test
  void stepsBecomeAsSimpleAsTheFailureAllows() {
    assertThat(shrink(List.of(7, 4_000, 9), steps -> steps.stream().anyMatch(n -> n > 150)))
        .containsExactly(151);
  }

  @Test
  void whatCannotBeMadeShorterStays() {
    assertThat(shrink(numbers(5), steps -> steps.size() == 5)).isEqualTo(numbers(5));
  }

  @Test
  void itEndsWhenTimeIsUpWithASequenceThatFails() {
    AtomicInteger triesLeft = new AtomicInteger(10);
    Predicate<List<Integer>> fails = steps -> steps.contains(500);
    List<Integer> shortest =
        new Shrinker<Integer>(fails, n -> List.of(), () -> triesLeft.getAndDecrement() > 0)
            .shrink(numbers(1_000));
    assertThat(fails.test(shortest)).isTrue();
    assertThat(shortest).hasSizeLessThan(100);
  }

  @Test
  void aFailureIsToldWithItsSeedAndItsSteps() {
    SeededSequences<Integer> sequences =
        new SeededSequences<>(
            random -> random.ints(50, 0, 100).boxed().toList(),
            steps -> assertThat(steps.stream().filter(n -> n >= 90)).hasSizeLessThan(2),
            n -> n > 90 ? List.of(n - 1) : List.of());
    assertThatThrownBy(() -> sequences.play(Duration.ofMinutes(1), 0))
        .isInstanceOf(AssertionError.class)
        .hasMessageMatching("(?s)-Dfencegate.seed=\\d+ fails, in short:\n  1. 90\n  2. 90\n.*");
  }
}
