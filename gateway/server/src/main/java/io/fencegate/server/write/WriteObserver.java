/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.policy.outcome.WriteOutcome;

/** Told once of every write's end; keeps counts and the audit trail. */
public interface WriteObserver {

  /**
   * The write has come to its outcome.
   *
   * @param tookNanos from submission
   */
  void completed(WriteCommand command, WriteReport report, long tookNanos);

  /** What was unknown has become known, after the caller was answered. */
  void reconciled(WriteCommand command, WriteOutcome outcome);
}
