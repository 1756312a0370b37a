/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

import io.fencegate.loadtest.history.Operation.Answer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Few calls that cannot all be right, out of a history that is wrong. Calls that change nothing can
 * be left out of any right history; so can all calls of one acquire, once no call is left that says
 * who holds the lock. What is left out in chunks of halving size leaves a wrong history wrong.
 */
final class Excerpt {

  /** Small histories need few. */
  private static final int MAX_CONFIGURATIONS = 20_000;

  /** Each is a search; a long history is cut to a few calls in far fewer. */
  private static final int MAX_ATTEMPTS = 500;

  private final Set<Integer> contended;
  private List<Operation> shortest;
  private int attemptsLeft = MAX_ATTEMPTS;

  private Excerpt(List<Operation> wrong, Set<Integer> contended) {
    this.shortest = wrong.stream().filter(op -> op.answer() != Answer.NOT_DONE).toList();
    this.contended = contended;
  }

  /**
   * An excerpt for people.
   *
   * @param contended as {@link LockRules} takes them, known from the whole history
   * @param outcome of the search over it
   */
  static String of(List<Operation> operations, Set<Integer> contended, Search.Outcome outcome) {
    Excerpt excerpt = new Excerpt(operations, contended);
    excerpt.cutAfter(outcome);
    excerpt.leaveOut(
        excerpt.shortest.stream()
            .filter(Operation::changesNothing)
            .map(op -> Set.of(op.id()))
            .toList());
    if (excerpt.shortest.stream().noneMatch(Operation::changesNothing)) {
      excerpt.leaveOut(excerpt.families());
    }
    return excerpt.describe();
  }

  /** The history as it was known at the moment at which no order went on. */
  private void cutAfter(Search.Outcome outcome) {
    long end = search(shortest, 1).firstReturn(outcome.end());
    List<Operation> part =
        shortest.stream()
            .filter(op -> op.invokeNanos() <= end)
            .filter(op -> op.returnNanos() <= end || !op.changesNothing())
            .map(op -> op.returnNanos() <= end ? op : op.unanswered())
            .toList();
    if (isWrong(part)) {
      shortest = part;
    }
  }

  private Search search(List<Operation> operations, int maxConfigurations) {
    return new Search(operations, contended, maxConfigurations);
  }

  private boolean isWrong(List<Operation> operations) {
    return search(operations, MAX_CONFIGURATIONS).run().result() == Search.Result.NOT_EXPLAINED;
  }

  private void leaveOut(List<Set<Integer>> parts) {
    List<Set<Integer>> left = parts;
    for (int chunk = Math.max(1, parts.size()); chunk >= 1; chunk /= 2) {
      List<Set<Integer>> needed = new ArrayList<>();
      for (int from = 0; from < left.size(); from += chunk) {
        List<Set<Integer>> part = left.subList(from, Math.min(from + chunk, left.size()));
        if (!leaveOutAll(part)) {
          needed.addAll(part);
        }
      }
      left = needed;
    }
  }

  private boolean leaveOutAll(List<Set<Integer>> part) {
    Set<Integer> ids = part.stream().flatMap(Set::stream).collect(Collectors.toSet());
    List<Operation> rest = shortest.stream().filter(op -> !ids.contains(op.id())).toList();
    boolean still = attemptsLeft-- > 0 && isWrong(rest);
    if (still) {
      shortest = rest;
    }
    return still;
  }

  /** All calls about the same acquire, for each acquire. */
  private List<Set<Integer>> families() {
    Set<Set<Integer>> families = new LinkedHashSet<>();
    shortest.forEach(op -> families.add(family(op)));
    return List.copyOf(families);
  }

  private Set<Integer> family(Operation member) {
    String lease = member.isAcquire() ? member.result().lease() : member.lease();
    String request =
        shortest.stream()
            .filter(op -> op.isAcquire() && !lease.isEmpty() && op.result().lease().equals(lease))
            .map(Operation::request)
            .findFirst()
            .orElse(member.request());
    return shortest.stream()
        .filter(
            op ->
                op.id() == member.id()
                    || (!lease.isEmpty() && op.lease().equals(lease))
                    || (!request.isEmpty() && op.request().equals(request)))
        .map(Operation::id)
        .collect(Collectors.toSet());
  }

  private String describe() {
    Search.Outcome last = search(shortest, MAX_CONFIGURATIONS).run();
    long start = shortest.stream().mapToLong(Operation::invokeNanos).min().orElse(0);
    String lines =
        shortest.stream()
            .sorted(Comparator.comparingLong(Operation::invokeNanos))
            .map(op -> "  " + op.describe(start))
            .collect(Collectors.joining("\n"));
    return "no order explains these "
        + shortest.size()
        + " calls; the longest ends in: "
        + last.end().state()
        + "\n"
        + lines;
  }
}
