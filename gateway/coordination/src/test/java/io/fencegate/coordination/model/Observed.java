/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

/**
 * A call and what it was answered, in the oracle's own words.
 *
 * @param id no two are the same
 * @param lease that a renewal, release or verification showed; empty otherwise
 * @param troubled whether the wire was bad during the call
 * @param queued whether somebody's place may have stood in the queue meanwhile
 * @param from when it was made, to when it was answered; monotonic nanoseconds
 */
record Observed(
    int id,
    Call call,
    String lease,
    Answer answer,
    boolean troubled,
    boolean queued,
    long from,
    long to) {

  /** One way to answer a call. */
  enum Kind {
    GRANTED,
    HELD,
    /** The wait ended without the lock. */
    WAITED,
    REQUEST_ID_REUSED,
    RENEWED,
    LOST,
    RELEASED,
    ALREADY_RELEASED,
    NOT_HELD,
    VERIFIED,
    STALE,
    SHOWN_FREE,
    SHOWN_HELD,
    /** It may have been done, or may be done later. */
    UNKNOWN,
    /** It was not done and never will be, and nothing is told. */
    NOT_DONE
  }

  /** An answer; what it does not say is 0 or empty. */
  record Answer(Kind kind, long token, String lease, long remainingMillis) {

    static Answer of(Kind kind) {
      return new Answer(kind, 0, "", 0);
    }

    @Override
    public String toString() {
      return kind
          + (token > 0 ? " token " + token : "")
          + (lease.isEmpty() ? "" : " lease " + lease)
          + (remainingMillis > 0 ? " for " + remainingMillis + " ms" : "");
    }
  }

  @Override
  public String toString() {
    return call + (lease.isEmpty() ? "" : " [" + lease + "]") + " -> " + answer;
  }
}
