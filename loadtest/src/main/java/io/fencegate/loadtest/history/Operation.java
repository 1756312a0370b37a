/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

import java.util.Locale;

/**
 * One call as its caller saw it. Times are nanoseconds on one monotonic clock for the whole
 * history. What a call or an answer does not have is empty or 0.
 *
 * @param id place in the record
 * @param request of an acquire: calls with the same one are the same acquire, repeated
 * @param lease that a renewal, release or write showed
 * @param token that a write showed
 * @param result what it was answered
 * @param invokeNanos before it was sent
 * @param returnNanos after it was answered; of an {@link Answer#UNKNOWN} one it means nothing
 */
public record Operation(
    int id,
    int client,
    String resource,
    Kind kind,
    String request,
    String lease,
    long token,
    Result result,
    long invokeNanos,
    long returnNanos) {

  /** What is asked for. */
  public enum Kind {
    ACQUIRE,
    /** An acquire that waits in a queue. */
    WAIT,
    RENEW,
    RELEASE,
    SHOW,
    WRITE
  }

  /** What is answered. */
  public enum Answer {
    GRANTED,
    /** Somebody holds the lock, or waits for it. */
    HELD,
    RENEWED,
    LOST,
    RELEASED,
    ALREADY_RELEASED,
    NOT_HELD,
    FREE,
    SHOWN_HELD,
    APPLIED,
    STALE,
    EXPIRED,
    /** Certainly not done, and nothing else is said. */
    NOT_DONE,
    /** Done or not, now or later. */
    UNKNOWN
  }

  /**
   * An answer with what it says.
   *
   * @param remainingMillis for how long the lease lives for certain, counted from the call's start
   */
  public record Result(Answer answer, long token, String lease, long remainingMillis) {
    public static Result of(Answer answer) {
      return new Result(answer, 0, "", 0);
    }
  }

  public Answer answer() {
    return result.answer();
  }

  boolean isUnknown() {
    return answer() == Answer.UNKNOWN;
  }

  /** This call as long as its answer is not there. */
  Operation unanswered() {
    return new Operation(
        id,
        client,
        resource,
        kind,
        request,
        lease,
        token,
        Result.of(Answer.UNKNOWN),
        invokeNanos,
        Long.MAX_VALUE);
  }

  boolean isAcquire() {
    return kind == Kind.ACQUIRE || kind == Kind.WAIT;
  }

  /** Whether leaving it out changes nothing for the others. */
  boolean changesNothing() {
    return switch (answer()) {
      case HELD, LOST, ALREADY_RELEASED, NOT_HELD, FREE, SHOWN_HELD, STALE, EXPIRED -> true;
      case GRANTED, RENEWED, RELEASED, APPLIED, NOT_DONE, UNKNOWN -> false;
    };
  }

  /** One line for people, with times counted from {@code startNanos}. */
  public String describe(long startNanos) {
    StringBuilder out = new StringBuilder();
    out.append(millis(invokeNanos, startNanos)).append("..");
    out.append(isUnknown() ? "?" : millis(returnNanos, startNanos)).append(" ms client ");
    out.append(client).append(' ').append(kind.name().toLowerCase(Locale.ROOT));
    append(out, " ", request);
    append(out, " lease ", lease);
    append(out, " token ", token == 0 ? "" : "" + token);
    out.append(" -> ").append(answer());
    append(out, " token ", result.token() == 0 ? "" : "" + result.token());
    append(out, " lease ", result.lease());
    append(out, " for ms ", result.remainingMillis() == 0 ? "" : "" + result.remainingMillis());
    return out.toString();
  }

  private static long millis(long nanos, long startNanos) {
    return (nanos - startNanos) / 1_000_000;
  }

  private static void append(StringBuilder out, String name, String value) {
    if (!value.isEmpty()) {
      out.append(name).append(value);
    }
  }
}
