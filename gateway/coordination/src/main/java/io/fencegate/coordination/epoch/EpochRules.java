/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.policy.fence.FencingRules;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.Generation;
import java.util.Optional;

/**
 * What a linearizable look at lock and epoch says of a token that was not confirmed, pure.
 *
 * <table>
 * <caption>first row that fits</caption>
 * <tr><th>what was found</th><th>answer</th></tr>
 * <tr><td>an epoch that tokens of another source raised</td><td>{@code handover}</td></tr>
 * <tr><td>token above everything issued (revision of this very answer, generation)</td>
 *     <td>{@code token-not-issued}</td></tr>
 * <tr><td>token below the epoch, yet its lock is held with this very token and lease: the
 *     coordinator has issued it after a higher one was accepted</td>
 *     <td>{@code token-below-floor}</td></tr>
 * <tr><td>token below the epoch, or of an older generation</td><td>{@code stale-token}</td></tr>
 * <tr><td>lock held with a higher token</td><td>{@code stale-token}</td></tr>
 * <tr><td>lock held with a lower token, or with this one under another lease</td>
 *     <td>{@code token-not-issued}</td></tr>
 * <tr><td>lock held with this token and lease</td><td>try again with the epoch as found</td></tr>
 * <tr><td>lock free, the token's number is the epoch because a break has put it there</td>
 *     <td>{@code token-not-issued}</td></tr>
 * <tr><td>lock free, lease not required, token is the epoch</td><td>try again</td></tr>
 * <tr><td>lock free</td><td>{@code lease-expired}</td></tr>
 * </table>
 */
final class EpochRules {

  private EpochRules() {}

  /** What was found, all in one answer. */
  record Look(
      long revision, Generation generation, Optional<Entry> lock, Optional<Entry> epochEntry) {

    Optional<EpochRecord> record() {
      return epochEntry.map(entry -> EpochRecord.decode(entry.value()));
    }

    Optional<FencingToken> epoch() {
      return record().map(EpochRecord::raised);
    }
  }

  /** The refusal, or empty where another form of the transaction has a chance. */
  static Optional<Refusal> judge(WriteHeader header, boolean leaseRequired, Look look) {
    FencingToken token = header.token();
    Optional<EpochRecord> foreign = look.record().filter(record -> !record.isOfLocks());
    if (foreign.isPresent()) {
      return Optional.of(ExternalRules.otherSource(foreign.get(), EpochRecord.SOURCE_LOCK));
    }
    if (isAboveAllIssued(token, look)) {
      return Optional.of(
          notIssued("token " + token + " is above everything that was issued", look));
    }
    Optional<FencingToken> epoch = look.epoch();
    if (epoch.isPresent() && token.isBelow(epoch.get())) {
      return Optional.of(
          isPresentHolder(header, leaseRequired, look)
              ? belowFloor(token, epoch.get())
              : FencingRules.stale(token, epoch.get()));
    }
    if (token.generation().compareTo(look.generation()) < 0) {
      return Optional.of(
          stale("token " + token + " is of an older generation than the coordinator's", look));
    }
    if (look.lock().isPresent()) {
      return judgeHeld(header, leaseRequired, look, look.lock().get());
    }
    return judgeFree(token, leaseRequired, look);
  }

  private static Optional<Refusal> judgeFree(FencingToken token, boolean leaseRequired, Look look) {
    Optional<EpochRecord> equal = look.record().filter(record -> record.raised().equals(token));
    if (equal.filter(record -> !record.isOfAToken()).isPresent()) {
      return Optional.of(
          notIssued("token " + token + " is what a break raised the epoch to", look));
    }
    return equal.isPresent() && !leaseRequired
        ? Optional.empty()
        : Optional.of(
            withEpoch(
                RefusalCode.LEASE_EXPIRED.because(
                    "nobody holds the lock that token " + token + " came with"),
                look));
  }

  private static Optional<Refusal> judgeHeld(
      WriteHeader header, boolean leaseRequired, Look look, Entry lock) {
    LockRecord record = LockRecord.decode(lock.value());
    FencingToken holders = record.token(lock);
    if (header.token().isBelow(holders)) {
      return Optional.of(
          stale("token " + header.token() + " was given, the holder has " + holders, look));
    }
    if (header.token().isAbove(holders)) {
      return Optional.of(
          notIssued(
              "token "
                  + header.token()
                  + " was not issued for this resource, the holder has "
                  + holders,
              look));
    }
    boolean sameLease =
        header.proof() != null && record.isOwnedBy(header.proof(), look.generation());
    return sameLease || !leaseRequired
        ? Optional.empty()
        : Optional.of(
            notIssued("token " + header.token() + " belongs to another lease", look)
                .atField("Fencing-Lease"));
  }

  /** Whether the lock is held with this very token, in this generation, by who shows the lease. */
  static boolean isPresentHolder(WriteHeader header, boolean leaseRequired, Look look) {
    return look.lock().filter(lock -> isHeldBy(header, leaseRequired, look, lock)).isPresent();
  }

  private static boolean isHeldBy(
      WriteHeader header, boolean leaseRequired, Look look, Entry lock) {
    LockRecord record = LockRecord.decode(lock.value());
    boolean sameLease =
        header.proof() != null && record.isOwnedBy(header.proof(), look.generation());
    return record.generation().equals(look.generation())
        && record.token(lock).equals(header.token())
        && (sameLease || !leaseRequired);
  }

  /** The holder's token is lower than one that was accepted before it was issued. */
  static Refusal belowFloor(FencingToken token, FencingToken epoch) {
    return RefusalCode.TOKEN_BELOW_FLOOR
        .because(
            "the present holder was given token "
                + token
                + ", but "
                + epoch
                + " was accepted before: was the coordinator restored from a backup? An operator"
                + " has to raise its generation")
        .withEpoch(epoch);
  }

  private static boolean isAboveAllIssued(FencingToken token, Look look) {
    int generations = token.generation().compareTo(look.generation());
    return generations > 0 || (generations == 0 && token.revision() > look.revision());
  }

  private static Refusal notIssued(String detail, Look look) {
    return withEpoch(RefusalCode.TOKEN_NOT_ISSUED.because(detail), look);
  }

  private static Refusal stale(String detail, Look look) {
    return withEpoch(RefusalCode.STALE_TOKEN.because(detail), look);
  }

  private static Refusal withEpoch(Refusal refusal, Look look) {
    return look.epoch().map(refusal::withEpoch).orElse(refusal);
  }
}
