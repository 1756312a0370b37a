/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/** Which changes a watch is told of. */
public enum WatchScope {
  ALL,
  /** Deletes and ends of leases only: puts and touches do not even travel. */
  DELETES
}
