/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.policy.token.FencingToken;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriteHistoryTest {

  private final WriteHistory history = new WriteHistory();

  @Test
  void decreasingTokensAreFound() {
    assertThatThrownBy(() -> history.check(List.of(entry("a", 42), entry("b", 41))))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("42");
    assertThatCode(() -> history.check(List.of(entry("a", 41), entry("b", 41), entry("c", 42))))
        .doesNotThrowAnyException();
  }

  @Test
  void doubleApplicationIsFound() {
    assertThatThrownBy(() -> history.check(List.of(entry("a", 1), entry("a", 1))))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void rejectedWriteThatLandedIsFound() {
    history.note("a", new ApplyOutcome.Stale(new FencingToken(9)));
    assertThatThrownBy(() -> history.check(List.of(entry("a", 1))))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void appliedWriteThatIsMissingIsFound() {
    history.note("a", new ApplyOutcome.Applied("[]"));
    assertThatThrownBy(() -> history.checkComplete(List.of())).isInstanceOf(AssertionError.class);
  }

  @Test
  void unknownMayBeEither() {
    history.note("a", new ApplyOutcome.Unknown("lost", "id"));
    history.note("b", new ApplyOutcome.Unknown("lost", "id"));
    history.check(List.of(entry("a", 1)));
    history.checkComplete(List.of(entry("a", 1)));
  }

  private static LogEntry entry(String value, long token) {
    return new LogEntry(value, new FencingToken(token));
  }
}
