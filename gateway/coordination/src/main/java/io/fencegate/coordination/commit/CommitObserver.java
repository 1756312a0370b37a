/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

/** Told of every batch that was sent. Called on the batcher's context; must be quick. */
@FunctionalInterface
public interface CommitObserver {

  /** What a batch came to. */
  enum Outcome {
    /** Its members were judged. */
    JUDGED,
    /** The session or the generation had changed: nothing was judged. */
    FENCED,
    /** The store refused all of it. */
    REFUSED,
    /** No definite answer. */
    IN_DOUBT
  }

  /** One for whoever does not want to know. */
  CommitObserver NOBODY = (members, tookNanos, outcome) -> {};

  /**
   * A batch was answered.
   *
   * @param members how many transactions it held
   * @param tookNanos from before the send to the answer
   */
  void answered(int members, long tookNanos, Outcome outcome);
}
