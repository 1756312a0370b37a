/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import io.fencegate.policy.token.LeaseProof;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Verifies a token and raises the epoch to it, in one transaction. Which form is sent depends on
 * the epoch as last seen; a form that no longer fits fails its compares and returns what is there.
 *
 * <table>
 * <caption>forms</caption>
 * <tr><th>epoch as last seen</th><th>compares</th><th>then</th></tr>
 * <tr><td>absent</td><td>lock's create revision, owner, generation; epoch absent</td>
 *     <td>put epoch</td></tr>
 * <tr><td>below the token</td><td>lock's create revision, owner, generation; epoch below token + 1,
 *     and no mark that other tokens than those of locks raise it</td><td>put epoch</td></tr>
 * <tr><td>the number of the token, put by a break</td><td>as below the token</td><td>put epoch</td>
 *     </tr>
 * <tr><td>the token</td><td>lock's create revision, owner, generation; epoch is the token, accepted
 *     </td><td>nothing</td></tr>
 * <tr><td>the token, lease not required</td><td>epoch is the token, accepted</td><td>nothing</td>
 *     </tr>
 * <tr><td>owner not known yet, or token of another generation</td><td>one that never holds</td>
 *     <td>only look</td></tr>
 * </table>
 *
 * <p>All branches read lock, epoch and confirmed, in this order, as they are before the put.
 */
record VerifyTransaction(
    Keyspace keys, ResourceName resource, WriteHeader header, boolean leaseRequired, Seen seen)
    implements Transaction {

  /**
   * What the form is made for.
   *
   * @param epoch as last seen; null for none
   * @param owner who may raise it: whose lease was shown where one is required, else the lock's as
   *     last seen; null where that is not known yet
   */
  record Seen(@Nullable EpochRecord epoch, @Nullable LeaseProof owner) {}

  static final int LOCK = 0;
  static final int EPOCH = 1;
  static final int CONFIRMED = 2;

  @Override
  public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
    LeaseProof owner = seen.owner();
    if (!couldBeIssuedIn(generation)) {
      return onlyLook();
    }
    if (accepted().equals(seen.epoch()) && !leaseRequired) {
      return new Member(List.of(epochIsTheToken()), look(), look());
    }
    if (owner == null) {
      return onlyLook();
    }
    List<Compare> compares = new ArrayList<>(ownership(owner, generation));
    if (accepted().equals(seen.epoch())) {
      compares.add(epochIsTheToken());
      return new Member(compares, look(), look());
    }
    if (seen.epoch() == null) {
      compares.add(Compare.absent(epochKey()));
    } else {
      compares.add(new Compare.ValueBelow(epochKey(), EpochRecord.boundAbove(header.token())));
      compares.add(Compare.absent(keys.epochSource(resource)));
    }
    List<Op> raise = new ArrayList<>(look());
    raise.add(new Op.Put(epochKey(), accepted().encode(), LeaseHandle.NONE));
    return new Member(compares, raise, look());
  }

  private EpochRecord accepted() {
    return EpochRecord.accepted(header.token());
  }

  private boolean couldBeIssuedIn(Generation generation) {
    return header.token().generation().equals(generation) && header.token().revision() > 0;
  }

  /** No value is below the empty one. */
  private Member onlyLook() {
    return new Member(List.of(new Compare.ValueBelow(epochKey(), Value.EMPTY)), List.of(), look());
  }

  private Compare epochIsTheToken() {
    return new Compare.ValuePrefix(epochKey(), EpochRecord.exactlyAccepted(header.token()));
  }

  private List<Compare> ownership(LeaseProof owner, Generation generation) {
    Key lock = keys.lock(resource);
    return List.of(
        new Compare.CreatedAt(lock, header.token().revision()),
        new Compare.ValuePrefix(lock, LockRecord.ownership(owner, generation)));
  }

  private List<Op> look() {
    return look(keys, resource);
  }

  static List<Op> look(Keyspace keys, ResourceName resource) {
    return List.of(
        new Op.Get(keys.lock(resource)),
        new Op.Get(keys.epoch(resource)),
        new Op.Get(keys.confirmed(resource)));
  }

  private Key epochKey() {
    return keys.epoch(resource);
  }
}
