/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.key.PolicyRecord;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.agreement.Recorded;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.ResourceName;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a switch is about, fixed when it begins.
 *
 * @param revision of the record that it replaces; 0 where there is none
 * @param freezes the ids of those that it has put
 */
record SwitchOrder(
    PolicyName policy, Recorded former, Recorded wanted, long revision, List<String> freezes) {

  SwitchOrder {
    freezes = List.copyOf(freezes);
  }

  /** Whether some writes go to another downstream from now on, or may. */
  boolean moves() {
    return !former.goesWhere(wanted);
  }

  /** Whether a resource's writes may be among those. */
  boolean moves(ResourceName resource) {
    return moves() && patterns().anyMatch(it -> it.match(resource).isPresent());
  }

  private Stream<ResourcePattern> patterns() {
    return Stream.of(former, wanted).flatMap(it -> it.match().stream());
  }

  boolean wants(Value record) {
    return PolicyRecord.decode(policy, record).equals(wanted);
  }
}
