/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.policy.fence.FencingRules;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.token.FencingToken;
import java.util.Optional;

/**
 * What a linearizable look at the candidates of an election, made by any etcd client, says of a
 * token, pure. The candidate whose key was created first leads, and its create revision is its
 * token.
 *
 * <table>
 * <caption>first row that fits</caption>
 * <tr><th>what was found</th><th>answer</th></tr>
 * <tr><td>an epoch that another source raised</td><td>{@code handover}</td></tr>
 * <tr><td>token above the revision of this very answer</td><td>{@code token-not-issued}</td></tr>
 * <tr><td>token below the epoch</td><td>{@code stale-token}</td></tr>
 * <tr><td>no candidate</td><td>{@code lease-expired}</td></tr>
 * <tr><td>a leader with a higher token</td><td>{@code stale-token}</td></tr>
 * <tr><td>a leader with a lower token</td><td>{@code token-not-issued}: its holder does not lead
 *     yet, or it is forged</td></tr>
 * <tr><td>the leader's key has no lease: it would lead for ever</td>
 *     <td>{@code token-not-issued}</td></tr>
 * <tr><td>the leader's token</td><td>accepted</td></tr>
 * </table>
 */
final class ElectionRules {

  private ElectionRules() {}

  /** What was found, all in one answer. */
  record Look(long revision, Optional<Entry> leader, Optional<EpochRecord> epoch) {}

  /** The refusal; empty where the token is the leader's. */
  static Optional<Refusal> judge(FencingToken token, Look look) {
    Optional<EpochRecord> foreign =
        look.epoch().filter(found -> !found.isOf(EpochRecord.SOURCE_ELECTION));
    if (foreign.isPresent()) {
      return Optional.of(ExternalRules.otherSource(foreign.get(), EpochRecord.SOURCE_ELECTION));
    }
    if (token.value() > look.revision()) {
      return refuse(
          RefusalCode.TOKEN_NOT_ISSUED, "token " + token + " is above every revision", look);
    }
    Optional<FencingToken> epoch = look.epoch().map(EpochRecord::raised);
    if (epoch.isPresent() && token.isBelow(epoch.get())) {
      return Optional.of(FencingRules.stale(token, epoch.get()));
    }
    return look.leader().isPresent()
        ? judge(token, look.leader().get(), look)
        : refuse(
            RefusalCode.LEASE_EXPIRED,
            "there is no candidate that token " + token + " could be of",
            look);
  }

  private static Optional<Refusal> judge(FencingToken token, Entry leader, Look look) {
    long leaders = leader.createRevision();
    if (token.value() < leaders) {
      return refuse(
          RefusalCode.STALE_TOKEN,
          "token " + token + " was given, the leader has " + leaders,
          look);
    }
    if (token.value() > leaders) {
      return refuse(
          RefusalCode.TOKEN_NOT_ISSUED,
          "token " + token + " does not lead, the leader has " + leaders,
          look);
    }
    return leader.lease().equals(LeaseHandle.NONE)
        ? refuse(
            RefusalCode.TOKEN_NOT_ISSUED,
            "the candidate's key has no lease, so nobody could tell when it is gone",
            look)
        : Optional.empty();
  }

  private static Optional<Refusal> refuse(RefusalCode code, String detail, Look look) {
    Refusal refusal = code.because(detail);
    return Optional.of(
        look.epoch().map(EpochRecord::raised).map(refusal::withEpoch).orElse(refusal));
  }
}
