/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Which etcd cluster the endpoints stand for, where they do not all belong to the same one. Two
 * clusters are two truths: only one of them may be spoken to.
 */
final class ClusterChoice {

  private ClusterChoice() {}

  /**
   * The cluster to speak to; empty while that is not clear.
   *
   * <p>What more than half of the endpoints say counts, so gateways with the same endpoints agree,
   * and a cluster that was replaced is reached. Else it stays as it was: an endpoint of another
   * cluster is not followed because it answered first, nor because nobody else answers.
   *
   * @param chosen so far
   * @param told by the endpoints that answer, one each
   * @param endpoints how many there are, whether they answer or not
   */
  static OptionalLong of(OptionalLong chosen, List<Long> told, int endpoints) {
    Map<Long, Integer> votes = new HashMap<>();
    told.forEach(id -> votes.merge(id, 1, Integer::sum));
    for (Map.Entry<Long, Integer> each : votes.entrySet()) {
      if (each.getValue() * 2 > endpoints) {
        return OptionalLong.of(each.getKey());
      }
    }
    return chosen;
  }
}
