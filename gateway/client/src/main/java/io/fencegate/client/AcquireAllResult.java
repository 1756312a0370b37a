/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.name.ResourceName;

/** What an acquire of several locks came to. */
public sealed interface AcquireAllResult {

  /** All of them are ours; close them when done. */
  record Held(HeldLocks locks) implements AcquireAllResult {}

  /**
   * None of them is: those that had been granted were released. As with {@link
   * AcquireResult.NotHeld}, a problem with outcome {@code UNKNOWN} means that this one may have
   * been granted all the same, until its lease runs out.
   *
   * @param resource the lock that could not be had, or was lost meanwhile
   */
  record NotHeld(ResourceName resource, Problem problem) implements AcquireAllResult {}
}
