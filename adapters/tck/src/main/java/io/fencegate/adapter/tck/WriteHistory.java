/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.policy.token.FencingToken;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What was answered to whom, and the invariants that hold between the answers and a downstream's
 * log whatever was done to it:
 *
 * <ul>
 *   <li>the log's tokens never decrease;
 *   <li>a value stands in the log once at most;
 *   <li>what was answered applied is there, what was answered stale, seal first or rejected is not;
 *       unknown may be either.
 * </ul>
 *
 * <p>Thread-safe. Values must be unique among the writes of one history; repeats with one
 * idempotency key use one value, whose first definite answer counts.
 */
public final class WriteHistory {

  private enum Claim {
    THERE,
    ABSENT
  }

  private final Map<String, Claim> claims = new ConcurrentHashMap<>();

  /** Notes the answer to a write of {@code value} and hands it back. */
  public ApplyOutcome note(String value, ApplyOutcome outcome) {
    Claim claim =
        outcome.fold(
            new ApplyOutcome.Cases<@Nullable Claim>(
                applied -> Claim.THERE,
                replayed -> Claim.THERE,
                stale -> Claim.ABSENT,
                sealFirst -> Claim.ABSENT,
                rejected -> Claim.ABSENT,
                unknown -> null));
    if (claim != null) {
      claims.merge(value, claim, (a, b) -> a == Claim.THERE ? a : b);
    }
    return outcome;
  }

  /** Checks one resource's log against the answers of all writes whose values it shows. */
  public void check(List<LogEntry> log) {
    FencingToken before = new FencingToken(1);
    for (LogEntry entry : log) {
      assertThat(entry.token().isBelow(before))
          .as("%s was applied after a write with token %s, in %s", entry, before, log)
          .isFalse();
      before = entry.token();
      assertThat(claims.get(entry.value()))
          .as("%s is in the log although it was answered as not applied", entry)
          .isNotEqualTo(Claim.ABSENT);
    }
    Map<String, Long> counts =
        log.stream().collect(Collectors.groupingBy(LogEntry::value, Collectors.counting()));
    assertThat(counts.values()).as("a value was applied twice: %s", counts).allMatch(n -> n == 1);
  }

  /** Checks that nothing that was answered applied is missing in the logs of all resources. */
  public void checkComplete(List<LogEntry> allLogs) {
    Set<String> shown = allLogs.stream().map(LogEntry::value).collect(Collectors.toSet());
    List<String> missing =
        claims.entrySet().stream()
            .filter(claim -> claim.getValue() == Claim.THERE)
            .map(Map.Entry::getKey)
            .filter(value -> !shown.contains(value))
            .toList();
    assertThat(missing).as("answered applied, but not in the log").isEmpty();
  }
}
