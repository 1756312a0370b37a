/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.policy.fence.FencingRules;
import io.fencegate.policy.model.TokenSource;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.token.FencingToken;
import java.util.Optional;

/**
 * What the recorded epoch says of a token that somebody else has issued, pure.
 *
 * <table>
 * <caption>first row that fits</caption>
 * <tr><th>what was found</th><th>answer</th></tr>
 * <tr><td>an epoch that another source raised</td><td>{@code handover}</td></tr>
 * <tr><td>no epoch, and the token is not in {@code start .. start + maxJump}</td>
 *     <td>{@code token-not-issued}</td></tr>
 * <tr><td>token below the epoch</td><td>{@code stale-token}</td></tr>
 * <tr><td>token more than {@code maxJump} above the epoch, or the greatest of all</td>
 *     <td>{@code token-not-issued}</td></tr>
 * <tr><td>anything else</td><td>accepted</td></tr>
 * </table>
 */
final class ExternalRules {

  private ExternalRules() {}

  /** The refusal; empty where the token is accepted, and raises the epoch if it is above it. */
  static Optional<Refusal> judge(
      FencingToken token, TokenSource.External source, Optional<EpochRecord> record) {
    if (record.filter(found -> !found.isOf(EpochRecord.SOURCE_EXTERNAL)).isPresent()) {
      return Optional.of(otherSource(record.get(), EpochRecord.SOURCE_EXTERNAL));
    }
    if (record.isEmpty()) {
      return judgeFirst(token, source);
    }
    FencingToken epoch = record.get().raised();
    if (token.isBelow(epoch)) {
      return Optional.of(FencingRules.stale(token, epoch));
    }
    boolean tooHigh = token.value() - epoch.value() > source.maxJump() || isTheGreatest(token);
    return tooHigh
        ? Optional.of(
            RefusalCode.TOKEN_NOT_ISSUED
                .because(
                    "token "
                        + token
                        + " was given, expected at most "
                        + source.maxJump()
                        + " (token.maxJump) above "
                        + epoch
                        + ", which the resource has accepted")
                .withEpoch(epoch))
        : Optional.empty();
  }

  private static Optional<Refusal> judgeFirst(FencingToken token, TokenSource.External source) {
    boolean fits =
        !token.isBelow(source.start())
            && token.value() - source.start().value() <= source.maxJump()
            && !isTheGreatest(token);
    return fits
        ? Optional.empty()
        : Optional.of(
            RefusalCode.TOKEN_NOT_ISSUED.because(
                "token "
                    + token
                    + " was given, expected a first token from "
                    + source.start()
                    + " (token.start) and at most "
                    + source.maxJump()
                    + " (token.maxJump) above it"));
  }

  /** Nothing could ever come after it. */
  private static boolean isTheGreatest(FencingToken token) {
    return token.value() == Long.MAX_VALUE;
  }

  /**
   * Tokens of two sources have no order among each other; so the epoch of the other one is told to
   * people only.
   */
  static Refusal otherSource(EpochRecord found, String expected) {
    return RefusalCode.HANDOVER.because(
        "the epoch "
            + found.raised()
            + " was raised by source "
            + found.source()
            + ", the policy says "
            + expected
            + ": an operator has to reset it (epochs reset) before tokens of the new source count");
  }
}
