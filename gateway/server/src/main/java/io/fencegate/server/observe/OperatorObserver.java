/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.operator.ClusterAdmin;
import io.fencegate.coordination.operator.PolicySwitch;
import io.fencegate.coordination.slot.Custody;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import java.util.Optional;

/** Told once of every change that an operator has asked for; keeps the audit trail. */
public interface OperatorObserver {

  /**
   * A lock was to be broken.
   *
   * @param ruling the token that was shut out; empty where nobody held the lock
   */
  void broke(ResourceName resource, String reason, Ruling<Optional<FencingToken>> ruling);

  /**
   * A resource's epoch was to be forgotten.
   *
   * @param ruling what was forgotten; empty where there was nothing
   */
  void epochReset(ResourceName resource, String reason, Ruling<Optional<EpochRecord>> ruling);

  /**
   * Writes in doubt were to be declared settled.
   *
   * @param as what they came to as the operator says: applied or rejected
   */
  void resolved(String as, String reason, Ruling<Custody.Listed> ruling);

  /** Writes were to be stopped. */
  void frozen(FreezeScope scope, String reason, Ruling<Freeze> ruling);

  /**
   * Writes were to be let in again.
   *
   * @param id of the freeze
   * @param ruling what was lifted
   */
  void lifted(String id, String reason, Ruling<Freeze> ruling);

  /**
   * A policy was to be put in force in another form.
   *
   * @param ruling how far that is: it has only begun
   */
  void switched(PolicyName policy, String reason, Ruling<PolicySwitch.Progress> ruling);

  void generationRaised(String reason, Ruling<ClusterAdmin.Raised> ruling);
}
