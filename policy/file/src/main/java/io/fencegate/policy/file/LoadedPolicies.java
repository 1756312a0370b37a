/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.PolicySet;
import io.fencegate.policy.name.AdapterName;
import java.util.List;

/** A set of policies that was read without a problem. Immutable. */
public final class LoadedPolicies {

  private final PolicySet set;
  private final List<PlacedPolicy> placed;
  private final PlaceIndex places;

  LoadedPolicies(PolicySet set, List<PlacedPolicy> placed, PlaceIndex places) {
    this.set = set;
    this.placed = List.copyOf(placed);
    this.places = places;
  }

  public PolicySet set() {
    return set;
  }

  /** The policies that name an adapter, in the order of the files. */
  public List<PlacedPolicy> policiesOf(AdapterName adapter) {
    return placed.stream().filter(it -> it.policy().adapter().equals(adapter)).toList();
  }

  /**
   * Where in which file a problem is that was found later, e.g. by an adapter. A pointer to what
   * the file leaves out gives the place of what it is missing in.
   *
   * @param problem its pointer is {@code /adapters/<name>/..} or {@code /resources/<index>/..} with
   *     the index of {@link #policiesOf}
   */
  public PolicyMessage locate(PolicyProblem problem) {
    PlaceIndex.Location location = places.nearest(problem.pointer());
    return new PolicyMessage(
        location.file(),
        location.place().line(),
        location.place().column(),
        location.pointerInFile(),
        problem.given(),
        problem.expected());
  }
}
