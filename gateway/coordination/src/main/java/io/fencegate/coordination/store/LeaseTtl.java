/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/** How long a lease still lives as the store sees it. */
public sealed interface LeaseTtl {

  /**
   * It still lives.
   *
   * @param remainingSeconds rounded down; at most what was granted
   */
  record Alive(long remainingSeconds) implements LeaseTtl {}

  record Gone() implements LeaseTtl {}
}
