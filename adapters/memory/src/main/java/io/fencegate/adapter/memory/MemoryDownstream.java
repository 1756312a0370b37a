/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.memory;

import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a downstream keeps: an epoch per resource, the log of what was applied, the outcomes by key.
 * Used from one context only, so that every method is one step; no locks.
 */
final class MemoryDownstream {

  /** One applied call; without a token where it was let through without one. */
  record Entry(ResourceName resource, @Nullable FencingToken token, OperationCall call) {}

  /**
   * The newest entries that are kept: enough for a look at what happened, bounded so that a trial
   * that runs for days does not fill the heap.
   */
  static final int MAX_LOG = 100_000;

  /** Outcomes that are kept; the oldest is forgotten beyond, whatever its retention. */
  static final int MAX_RECORDS = 100_000;

  private final Map<ResourceName, FencingToken> epochs = new HashMap<>();
  private final List<Entry> log = new ArrayList<>();
  private final Map<KeyScope, RecordedWrite> records =
      new java.util.LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<KeyScope, RecordedWrite> eldest) {
          return size() > MAX_RECORDS;
        }
      };

  @Nullable FencingToken epoch(ResourceName resource) {
    return epochs.get(resource);
  }

  void raise(ResourceName resource, FencingToken token) {
    epochs.merge(resource, token, (old, proposed) -> proposed.isAbove(old) ? proposed : old);
  }

  void forgetEpoch(ResourceName resource) {
    epochs.remove(resource);
  }

  void append(Entry entry) {
    if (log.size() == MAX_LOG) {
      log.subList(0, MAX_LOG / 10).clear();
    }
    log.add(entry);
  }

  List<Entry> log(ResourceName resource) {
    return log.stream().filter(entry -> entry.resource().equals(resource)).toList();
  }

  RecordedWrite record(KeyScope scope) {
    return records.getOrDefault(scope, new RecordedWrite.None());
  }

  void keep(KeyScope scope, RecordedWrite write) {
    records.put(scope, write);
  }
}
