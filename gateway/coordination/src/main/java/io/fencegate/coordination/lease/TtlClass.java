/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lease;

import io.fencegate.policy.time.ClockReading;
import java.time.Duration;
import java.util.List;

/**
 * The TTLs that are granted: asked-for ones are rounded up to one of these 16, so that locks share
 * leases.
 *
 * @param index 0 to 15, as records hold it
 */
public record TtlClass(int index) {

  private static final List<Integer> SECONDS =
      List.of(2, 3, 5, 8, 10, 15, 20, 30, 60, 120, 300, 600, 1800, 3600, 21600, 86400);

  public TtlClass {
    if (index < 0 || index >= SECONDS.size()) {
      throw new IllegalArgumentException("no TTL class " + index);
    }
  }

  /** The longest TTL that can be granted. */
  public static Duration longest() {
    return Duration.ofSeconds(SECONDS.get(SECONDS.size() - 1));
  }

  /**
   * The shortest class that is at least {@code ttl}.
   *
   * @throws IllegalArgumentException when it is longer than {@link #longest()}
   */
  public static TtlClass atLeast(Duration ttl) {
    for (int i = 0; i < SECONDS.size(); i++) {
      if (Duration.ofSeconds(SECONDS.get(i)).compareTo(ttl) >= 0) {
        return new TtlClass(i);
      }
    }
    throw new IllegalArgumentException("no TTL class is as long as " + ttl);
  }

  public int seconds() {
    return SECONDS.get(index);
  }

  /**
   * What may be promised of a lease of this class that lives until then: never more than the TTL.
   */
  public long promiseMillis(long deadlineNanos, ClockReading now) {
    return Math.min(ttl().toMillis(), now.millisUntil(deadlineNanos));
  }

  public Duration ttl() {
    return Duration.ofSeconds(seconds());
  }
}
