/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.time;

/**
 * One reading of both clocks, taken together.
 *
 * @param monotonicNanos only differences mean anything; decides every deadline
 * @param wallMillis milliseconds since 1970, for people; decides nothing, but its disagreement with
 *     the monotonic clock shows a machine that was frozen or moved
 */
public record ClockReading(long monotonicNanos, long wallMillis) {

  private static final long NANOS_PER_MILLI = 1_000_000L;

  /** Whether {@code deadlineNanos} (monotonic) lies ahead. A deadline that has come has passed. */
  public boolean isBefore(long deadlineNanos) {
    return deadlineNanos - monotonicNanos > 0;
  }

  /** Milliseconds until {@code deadlineNanos}, at least 0, rounded down. */
  public long millisUntil(long deadlineNanos) {
    return Math.max(0, (deadlineNanos - monotonicNanos) / NANOS_PER_MILLI);
  }

  /** The one of two monotonic times that comes first. */
  public static long earlier(long oneNanos, long otherNanos) {
    return oneNanos - otherNanos < 0 ? oneNanos : otherNanos;
  }

  /** By how many milliseconds the two clocks moved differently since {@code earlier}. */
  public long disagreementMillis(ClockReading earlier) {
    long monotonicMillis = (monotonicNanos - earlier.monotonicNanos) / NANOS_PER_MILLI;
    return Math.abs((wallMillis - earlier.wallMillis) - monotonicMillis);
  }
}
