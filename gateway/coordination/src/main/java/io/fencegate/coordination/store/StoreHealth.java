/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a store is at one moment.
 *
 * @param clusterId of the store's data: another one means another history; empty while nobody
 *     answers
 * @param quorum whether a linearizable read was answered just now
 */
public record StoreHealth(
    OptionalLong clusterId, boolean quorum, List<Endpoint> endpoints, Space space) {

  public StoreHealth {
    endpoints = List.copyOf(endpoints);
  }

  /**
   * One place where the store is reached.
   *
   * @param name for people, without credentials
   * @param trouble why it does not answer, if it does not
   * @param leader whether it says that it leads
   */
  public record Endpoint(String name, Optional<String> trouble, boolean leader) {}

  /**
   * Room for data.
   *
   * @param usedBytes of the fullest member; 0 while nobody answers
   * @param limitBytes where {@code usedBytes} must not come, if that is known
   * @param exhausted whether the store refuses to store more
   */
  public record Space(long usedBytes, OptionalLong limitBytes, boolean exhausted) {

    /** The part that is used, 0 to 1 and above; 0 where no limit is known. */
    public double usedRatio() {
      return limitBytes.isPresent() ? (double) usedBytes / limitBytes.getAsLong() : 0;
    }
  }
}
