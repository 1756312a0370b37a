/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.freeze;

import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.ResourceName;
import java.util.List;
import java.util.Optional;

/**
 * The freezes that are in force at one moment. Immutable.
 *
 * @param all those that are known
 * @param more whether there are others that are not: then everything counts as frozen
 */
public record Freezes(List<Freeze> all, boolean more) {

  public static final Freezes NONE = new Freezes(List.of(), false);

  private static final Freeze TOO_MANY =
      new Freeze(
          "unknown",
          new FreezeScope.Everything(),
          "there are more freezes than a gateway looks through, and any of them may mean this"
              + " write: lift some",
          0);

  public Freezes {
    all = List.copyOf(all);
  }

  /**
   * The first freeze that stops a write; empty where none does.
   *
   * @param policy that is in force for the resource
   */
  public Optional<Freeze> of(ResourceName resource, PolicyName policy) {
    if (more) {
      return Optional.of(TOO_MANY);
    }
    for (Freeze freeze : all) {
      if (freeze.scope().covers(resource, policy)) {
        return Optional.of(freeze);
      }
    }
    return Optional.empty();
  }
}
