/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

/**
 * What a keyed write has come to.
 *
 * <pre>
 *   (none) --begin--> Intent --settling answer--> Answered
 *     |                 |  \--nothing sent--> (none)
 *     |                 \--no settling answer, or its gateway is gone--> Unknown --answer after all--> Answered
 *     \--close--> Closed
 * </pre>
 */
public sealed interface KeyOutcome {

  /** About to be sent, or sent and not answered yet. */
  record Intent() implements KeyOutcome {}

  /** Sent once, and answered so that it can change nothing any more. */
  record Answered(RecordedAnswer answer) implements KeyOutcome {}

  /**
   * May have been sent, and nobody knows what came of it.
   *
   * @param reason in a few words, for people
   */
  record Unknown(String reason) implements KeyOutcome {}

  /** Nothing was sent under the key, and nothing will be. */
  record Closed() implements KeyOutcome {}
}
