/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.server.ApiClient.Answer;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * What workers were told about locks, and when; and whether all of it can be true together. All
 * times are from one monotonic clock. Thread-safe.
 */
final class History {

  /** One acquire call. */
  record Acquired(String gateway, JsonObject body, Optional<Answer> answer, long sentNanos) {
    String requestId() {
      return body.getString("requestId");
    }

    boolean isGranted() {
      return answer.filter(it -> it.status() == 200).isPresent();
    }

    /** Whether it was said for certain that nothing was granted. */
    boolean isRejected() {
      return answer
          .filter(it -> it.status() != 200 && "rejected".equals(it.json().getString("outcome")))
          .isPresent();
    }
  }

  /** From when until when a holder could believe that the lock is its own. */
  private record Hold(
      String resource,
      String leaseId,
      long token,
      long sentNanos,
      long fromNanos,
      long untilNanos) {
    Hold until(long nanos) {
      return new Hold(resource, leaseId, token, sentNanos, fromNanos, nanos);
    }
  }

  private final List<Acquired> acquires = new ArrayList<>();
  private final Map<String, Hold> holds = new TreeMap<>();

  synchronized void acquired(Acquired call, long receivedNanos) {
    acquires.add(call);
    if (!call.isGranted()) {
      return;
    }
    JsonObject grant = call.answer().orElseThrow().json();
    Hold hold =
        new Hold(
            grant.getString("resource"),
            grant.getString("leaseId"),
            Long.parseLong(grant.getString("fencingToken")),
            call.sentNanos(),
            receivedNanos,
            promised(grant, call.sentNanos()));
    Hold first = holds.putIfAbsent(hold.leaseId(), hold);
    if (first != null) {
      assertThat(hold.token()).as("token of one lease").isEqualTo(first.token());
    }
  }

  synchronized void renewed(String leaseId, Answer answer, long sentNanos, long receivedNanos) {
    if (answer.status() == 200) {
      long until = promised(answer.json(), sentNanos);
      holds.computeIfPresent(
          leaseId,
          (id, hold) -> {
            assertThat(Long.parseLong(answer.json().getString("fencingToken")))
                .as("token of a renewed lease")
                .isEqualTo(hold.token());
            return hold.until(Math.max(hold.untilNanos(), until));
          });
    } else if ("lease-lost".equals(answer.code())) {
      endsBy(leaseId, receivedNanos);
    }
  }

  /** The holder gave up, or learnt that it lost the lock. */
  synchronized void endsBy(String leaseId, long nanos) {
    holds.computeIfPresent(leaseId, (id, hold) -> hold.until(Math.min(hold.untilNanos(), nanos)));
  }

  private static long promised(JsonObject answer, long sentNanos) {
    return sentNanos + TimeUnit.MILLISECONDS.toNanos(answer.getLong("remainingMs"));
  }

  /** Until when the holder of this lease was told that it holds the lock. */
  synchronized long untilNanos(String leaseId) {
    return holds.get(leaseId).untilNanos();
  }

  synchronized List<Acquired> acquires() {
    return List.copyOf(acquires);
  }

  /** Tokens rise over grants, and no two holders had reason to believe in one lock at once. */
  synchronized void check() {
    Map<String, List<Hold>> byResource =
        holds.values().stream().collect(Collectors.groupingBy(Hold::resource));
    byResource.forEach((resource, all) -> check(all));
  }

  private static void check(Collection<Hold> ofOneResource) {
    List<Hold> sorted =
        ofOneResource.stream().sorted(Comparator.comparingLong(Hold::token)).toList();
    for (int i = 1; i < sorted.size(); i++) {
      Hold before = sorted.get(i - 1);
      Hold after = sorted.get(i);
      String which = before + " and " + after;
      assertThat(after.token()).as("tokens rise: %s", which).isGreaterThan(before.token());
      assertThat(after.fromNanos())
          .as("a grant that was answered has a lower token than what is asked for later: %s", which)
          .isGreaterThan(before.sentNanos());
      assertThat(after.fromNanos() - before.untilNanos())
          .as("two live holders at once: %s", which)
          .isNotNegative();
    }
  }

  /**
   * Whether what the coordinator remembers of requests agrees with what their callers were told.
   *
   * @param remembered ids of requests that were granted
   */
  void checkAgainst(Collection<String> remembered) {
    Map<String, List<Acquired>> byRequest =
        acquires().stream().collect(Collectors.groupingBy(Acquired::requestId));
    byRequest.forEach(
        (requestId, calls) -> {
          if (calls.stream().anyMatch(Acquired::isGranted)) {
            assertThat(remembered).as("granted: %s", calls).contains(requestId);
          } else if (calls.stream().allMatch(Acquired::isRejected)) {
            assertThat(remembered).as("rejected for certain: %s", calls).doesNotContain(requestId);
          }
        });
  }
}
