/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

/** Doing something later; one thread does everything, so a task must not block. Thread-safe. */
interface Timers extends AutoCloseable {

  /** A task that has not run yet. */
  @FunctionalInterface
  interface Pending {
    void cancel();
  }

  /** Runs {@code task} after {@code millis}; never when this is closed before. */
  Pending after(long millis, Runnable task);

  /**
   * Blocks the caller for {@code millis} or until pauses are ended.
   *
   * @return whether the time passed: false when pauses were ended
   */
  boolean pause(long millis) throws InterruptedException;

  /** Ends every pause, those to come as well; tasks go on. Idempotent. */
  void endPauses();

  /** Drops everything that has not run yet; running tasks end by themselves. Idempotent. */
  @Override
  void close();
}
