/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

/**
 * The bounds of the store.
 *
 * @param waitingRequests requests that may wait; more are refused
 * @param waitingBytes their size
 * @param groupRequests requests that share one SQLite transaction
 * @param historyRevisions revisions kept for watches that resume
 * @param historyBytes their size
 * @param watchBytes changes on the way to one watch; a watch that falls further behind is lost
 * @param busyMillis how long to wait for somebody else's lock on the database file
 */
record Bounds(
    int waitingRequests,
    long waitingBytes,
    int groupRequests,
    int historyRevisions,
    long historyBytes,
    long watchBytes,
    int busyMillis) {

  private static final long MIB = 1 << 20;

  Bounds {
    // A watch that resumes from the oldest revision gets the whole history in one piece.
    if (watchBytes < 2 * historyBytes) {
      throw new IllegalArgumentException(
          "watchBytes " + watchBytes + " must be at least twice historyBytes " + historyBytes);
    }
  }

  /**
   * The bounds in production. 4,096 requests wait less than a second on a slow disk in groups of
   * 256; a group that large costs a millisecond or two to judge, little beside its fsync. 10,000
   * revisions are seconds of full load, which is how far behind a watch in the same process can be.
   */
  static Bounds standard() {
    return new Bounds(4_096, 64 * MIB, 256, 10_000, 16 * MIB, 32 * MIB, 2_000);
  }
}
