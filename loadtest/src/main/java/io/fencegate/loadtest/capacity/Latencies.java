/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.atomic.AtomicLongArray;

/** How long calls took, to the millisecond. Thread-safe. */
final class Latencies {

  /** Longer ones count as this long: no call is given more. */
  private static final int MAX_MILLIS = 60_000;

  private final AtomicLongArray counts = new AtomicLongArray(MAX_MILLIS + 1);

  void add(long millis) {
    counts.incrementAndGet((int) Math.max(0, Math.min(MAX_MILLIS, millis)));
  }

  long count() {
    long sum = 0;
    for (int i = 0; i <= MAX_MILLIS; i++) {
      sum += counts.get(i);
    }
    return sum;
  }

  /**
   * The time that so many percent stayed within; 0 where there is none.
   *
   * @param percent 0 to 100
   */
  long percentileMillis(double percent) {
    long rank = (long) Math.ceil(count() * percent / 100);
    long seen = 0;
    for (int i = 0; i <= MAX_MILLIS; i++) {
      seen += counts.get(i);
      if (rank > 0 && seen >= rank) {
        return i;
      }
    }
    return 0;
  }

  void addTo(ObjectNode json) {
    json.put("count", count());
    json.put("p50Ms", percentileMillis(50));
    json.put("p95Ms", percentileMillis(95));
    json.put("p99Ms", percentileMillis(99));
    json.put("maxMs", percentileMillis(100));
  }

  ObjectNode json() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    addTo(json);
    return json;
  }
}
