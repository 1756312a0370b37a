/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The locks that this gateway granted or renewed last, as far as it has seen: for counting and
 * timing only, nothing is decided by it. Pure; time is an argument.
 *
 * <p>A lock whose holder goes on through another gateway is forgotten when the deadline known here
 * has passed. An end that was seen is kept for {@link #EXPLAIN}, in case a release explains it;
 * unexplained it was an expiry if it came at the deadline or after, else somebody else's doing.
 */
final class HeldLocks {

  /** How long a seen end waits for the release that explains it. */
  static final Duration EXPLAIN = Duration.ofSeconds(2);

  /** How long after its known deadline a lock without a seen end is forgotten. */
  static final Duration FORGET = Duration.ofSeconds(30);

  /** Why a hold ended. */
  enum End {
    /** Released through this gateway. */
    RELEASED,
    /** Its lease ran out. */
    EXPIRED,
    /** Released through another gateway, or broken. */
    ELSEWHERE
  }

  /**
   * A hold that has ended.
   *
   * @param heldNanos how long; empty where its beginning was not seen here
   */
  record Ended(End end, OptionalLong heldNanos) {}

  private record Held(
      FencingToken token,
      OptionalLong grantedNanos,
      long deadlineNanos,
      OptionalLong endSeenNanos) {

    Held until(long otherDeadlineNanos) {
      return new Held(token, grantedNanos, otherDeadlineNanos, OptionalLong.empty());
    }

    Held endSeen(long atNanos) {
      return new Held(token, grantedNanos, deadlineNanos, OptionalLong.of(atNanos));
    }

    Ended ended(End end, long atNanos) {
      return new Ended(
          end,
          grantedNanos.isPresent()
              ? OptionalLong.of(atNanos - grantedNanos.getAsLong())
              : OptionalLong.empty());
    }

    /** What it came to where no release explains the end that was seen then. */
    Ended unexplained(long atNanos) {
      return ended(atNanos - deadlineNanos >= 0 ? End.EXPIRED : End.ELSEWHERE, atNanos);
    }
  }

  private final Map<ResourceName, Held> held = new HashMap<>();
  private int endsSeen;

  /**
   * A lock was granted, or a repeat was told of its grant. What was known of an earlier hold is
   * over, and returned.
   */
  Optional<Ended> granted(
      ResourceName resource, FencingToken token, long remainingMillis, ClockReading now) {
    if (remainingMillis == 0) {
      return Optional.empty();
    }
    long at = now.monotonicNanos();
    Held before = held.get(resource);
    if (before != null && before.token().equals(token)) {
      put(resource, before.until(deadline(remainingMillis, now)));
      return Optional.empty();
    }
    put(
        resource,
        new Held(token, OptionalLong.of(at), deadline(remainingMillis, now), OptionalLong.empty()));
    return Optional.ofNullable(before)
        .map(earlier -> earlier.unexplained(earlier.endSeenNanos().orElse(at)));
  }

  /** A lock was renewed, perhaps one that another gateway had granted. */
  void renewed(ResourceName resource, FencingToken token, long remainingMillis, ClockReading now) {
    long deadline = deadline(remainingMillis, now);
    Held before = held.get(resource);
    put(
        resource,
        before != null && before.token().equals(token)
            ? before.until(deadline)
            : new Held(token, OptionalLong.empty(), deadline, OptionalLong.empty()));
  }

  /** A lock was released through this gateway. */
  Optional<Ended> released(ResourceName resource, ClockReading now) {
    Held before = held.remove(resource);
    return Optional.ofNullable(before)
        .map(
            lock -> {
              endsSeen -= lock.endSeenNanos().isPresent() ? 1 : 0;
              return lock.ended(End.RELEASED, now.monotonicNanos());
            });
  }

  /**
   * The store says that the lock has ended.
   *
   * @param revision when; an earlier hold's end may be told after the next one's beginning
   */
  void endSeen(ResourceName resource, long revision, ClockReading now) {
    Held before = held.get(resource);
    if (before != null && before.endSeenNanos().isEmpty() && revision > before.token().revision()) {
      put(resource, before.endSeen(now.monotonicNanos()));
    }
  }

  /** Explains ends that no release has explained, and forgets locks that went elsewhere. */
  List<Ended> sweep(ClockReading now) {
    List<Ended> ended = new ArrayList<>();
    for (Iterator<Held> it = held.values().iterator(); it.hasNext(); ) {
      Held lock = it.next();
      if (lock.endSeenNanos().isPresent()) {
        long seen = lock.endSeenNanos().getAsLong();
        if (!now.isBefore(seen + EXPLAIN.toNanos())) {
          it.remove();
          endsSeen--;
          ended.add(lock.unexplained(seen));
        }
      } else if (!now.isBefore(lock.deadlineNanos() + FORGET.toNanos())) {
        it.remove();
      }
    }
    return ended;
  }

  /** Locks that are held as far as is known here. */
  int active() {
    return held.size() - endsSeen;
  }

  private void put(ResourceName resource, Held lock) {
    Held before = held.put(resource, lock);
    endsSeen -= before != null && before.endSeenNanos().isPresent() ? 1 : 0;
    endsSeen += lock.endSeenNanos().isPresent() ? 1 : 0;
  }

  private static long deadline(long remainingMillis, ClockReading now) {
    return now.monotonicNanos() + Duration.ofMillis(remainingMillis).toNanos();
  }
}
