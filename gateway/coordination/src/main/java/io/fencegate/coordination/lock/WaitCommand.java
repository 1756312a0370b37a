/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

/** What a waiting call does next. */
enum WaitCommand {
  /** Wait for a nudge, or until the entry has to be moved on. */
  REST,
  KEEP,
  GRANT,
  LEAVE,
  GIVE_BACK,
  ANSWER_GRANT,
  ANSWER_IN_FLIGHT,
  /** Answer what another call of the same request was granted. */
  ANSWER_EARLIER,
  /** Answer why it was not let in, or that it is not known. */
  ANSWER_REFUSAL,
  ANSWER_LOST,
  /** Answer as the end that was asked for demands. */
  ANSWER_END
}
