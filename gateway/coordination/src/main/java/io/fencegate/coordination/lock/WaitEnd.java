/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

/** Why a wait ends from this side. A later constant counts more than an earlier one. */
enum WaitEnd {
  /** The time that the caller wants to wait is over. */
  TIMED_OUT,
  /** The coordinator has lost history: nothing is granted until an operator has seen to it. */
  HISTORY_LOST,
  /** The gateway is about to stop. */
  DRAINING,
  /**
   * The request was cancelled, or may have been: the place that it had, or was to have, is gone.
   */
  CANCELLED,
  /** Nobody is there to be answered: a lock that is granted nevertheless is given back. */
  ABANDONED
}
