/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.Entry;
import java.util.List;

/**
 * What a database file holds.
 *
 * @param clusterId random, made with the file
 * @param leases id and seconds; their deadlines start anew
 * @param history oldest first
 */
record StoredState(
    long revision,
    long lastLease,
    long clusterId,
    List<StoredLease> leases,
    List<Entry> entries,
    List<Revision> history) {

  record StoredLease(long id, long ttlSeconds) {}

  StoredState {
    leases = List.copyOf(leases);
    entries = List.copyOf(entries);
    history = List.copyOf(history);
  }
}
