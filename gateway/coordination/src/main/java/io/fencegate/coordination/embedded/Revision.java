/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.WatchEvent;
import java.util.List;

/** Everything that one revision changed; never empty. */
record Revision(long number, List<WatchEvent> events) {

  /** Objects and references that go with an event in memory, roughly. */
  private static final int EVENT_OVERHEAD_BYTES = 160;

  Revision {
    events = List.copyOf(events);
  }

  long bytes() {
    return events.stream().mapToLong(Revision::bytes).sum();
  }

  static long bytes(WatchEvent event) {
    long value = event instanceof WatchEvent.Changed changed ? changed.entry().value().length() : 0;
    return EVENT_OVERHEAD_BYTES + event.key().path().length() + value;
  }
}
