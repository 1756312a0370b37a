/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Checks a history resource by resource: locks are independent of each other, so the history is
 * right when each part is (Horn and Kroening, "Faster linearizability checking via
 * P-compositionality", FORTE 2015).
 */
public final class HistoryChecker {

  /** A few hundred bytes each. */
  static final int MAX_CONFIGURATIONS = 1_000_000;

  /** How long the place of a waiter that went away may still stand in the queue. */
  private static final long QUEUE_ECHO_NANOS = TimeUnit.SECONDS.toNanos(20);

  private HistoryChecker() {}

  /** Checks every resource's calls; the first that is not right decides. */
  public static Verdict check(List<Operation> history) {
    Map<String, List<Operation>> byResource =
        history.stream()
            .collect(Collectors.groupingBy(Operation::resource, TreeMap::new, Collectors.toList()));
    int configurations = 0;
    for (Map.Entry<String, List<Operation>> part : byResource.entrySet()) {
      Set<Integer> contended = contended(part.getValue());
      Search.Outcome outcome = new Search(part.getValue(), contended, MAX_CONFIGURATIONS).run();
      configurations += outcome.configurations();
      if (outcome.result() == Search.Result.NOT_EXPLAINED) {
        return new Verdict.Violation(
            part.getKey(), Excerpt.of(part.getValue(), contended, outcome));
      }
      if (outcome.result() == Search.Result.GAVE_UP) {
        return new Verdict.Undecided(part.getKey(), outcome.configurations());
      }
    }
    return new Verdict.Explained(history.size(), configurations);
  }

  /** Calls that may have met somebody's place in the queue. */
  private static Set<Integer> contended(List<Operation> operations) {
    List<Operation> waits =
        operations.stream()
            .filter(op -> op.kind() == Operation.Kind.WAIT)
            .sorted(Comparator.comparingLong(Operation::invokeNanos))
            .toList();
    Set<Integer> contended = new HashSet<>();
    for (Operation op : operations) {
      if (op.answer() == Operation.Answer.HELD && waits.stream().anyMatch(it -> meets(it, op))) {
        contended.add(op.id());
      }
    }
    return contended;
  }

  private static boolean meets(Operation wait, Operation op) {
    return wait.id() != op.id()
        && wait.invokeNanos() < op.returnNanos()
        && (wait.isUnknown() || wait.returnNanos() + QUEUE_ECHO_NANOS > op.invokeNanos());
  }
}
