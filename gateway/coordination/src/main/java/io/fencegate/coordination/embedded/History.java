/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import java.util.ArrayDeque;
import java.util.List;

/** The last revisions, within bounds. Used by the writer's thread only. */
final class History {

  /** Trimmed in strides of an eighth, so that the disk does not delete with every commit. */
  private static final int STRIDES = 8;

  private final int maxRevisions;
  private final long maxBytes;
  private final ArrayDeque<Revision> revisions;
  private long bytes;
  private long compacted;

  /**
   * Takes over stored history.
   *
   * @param revision the store's, whose history is {@code stored}
   */
  History(Bounds bounds, long revision, List<Revision> stored) {
    maxRevisions = bounds.historyRevisions();
    maxBytes = bounds.historyBytes();
    revisions = new ArrayDeque<>(stored);
    bytes = stored.stream().mapToLong(Revision::bytes).sum();
    compacted = revision - stored.size();
    trim();
  }

  void add(List<Revision> more) {
    revisions.addAll(more);
    bytes += more.stream().mapToLong(Revision::bytes).sum();
    trim();
  }

  private void trim() {
    if (revisions.size() > maxRevisions || bytes > maxBytes) {
      int targetRevisions = maxRevisions - maxRevisions / STRIDES;
      long targetBytes = maxBytes - maxBytes / STRIDES;
      while (revisions.size() > 1 && (revisions.size() > targetRevisions || bytes > targetBytes)) {
        Revision oldest = revisions.remove();
        bytes -= oldest.bytes();
        compacted = oldest.number();
      }
    }
  }

  /** The last revision whose changes are no longer known. */
  long compacted() {
    return compacted;
  }

  /** What is known of {@code revision} and later, oldest first. */
  List<Revision> from(long revision) {
    return revisions.stream().filter(r -> r.number() >= revision).toList();
  }
}
