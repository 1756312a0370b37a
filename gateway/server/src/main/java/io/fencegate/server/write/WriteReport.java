/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.WriteOutcome;
import io.fencegate.policy.token.FencingToken;
import org.jspecify.annotations.Nullable;

/**
 * What a write came to, with the epoch as this gateway knows it then.
 *
 * @param token the token judged; for a replay the one that was applied; null where a write in
 *     shadow came without one
 * @param epoch the highest accepted; null where nothing is known
 * @param shadow what enforcing would have said; null where it was enforced
 * @param replay what the downstream answered to an earlier request with the key, which is this
 *     one's answer too; null where nothing is to be answered again
 */
public record WriteReport(
    WriteOutcome outcome,
    @Nullable FencingToken token,
    @Nullable FencingToken epoch,
    @Nullable ShadowVerdict shadow,
    RecordedWrite.@Nullable Answered replay) {

  /** Of a write whose token was enforced. */
  public WriteReport(
      WriteOutcome outcome, @Nullable FencingToken token, @Nullable FencingToken epoch) {
    this(outcome, token, epoch, null, null);
  }

  /** Of a write that was refused before it was carried out here, with what is known of it. */
  public static WriteReport refused(Refusal refusal, @Nullable FencingToken token) {
    return new WriteReport(outcome(refusal), token, null);
  }

  static WriteOutcome outcome(Refusal refusal) {
    return refusal.certainty() == Certainty.REJECTED
        ? new WriteOutcome.Rejected(refusal)
        : new WriteOutcome.Unknown(refusal);
  }

  WriteReport in(ShadowVerdict verdict) {
    return new WriteReport(outcome, token, null, verdict, replay);
  }
}
