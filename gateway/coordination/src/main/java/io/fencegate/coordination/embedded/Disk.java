/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

/** Where commits become durable. Used by the writer's thread only. */
interface Disk {

  /**
   * Makes changes durable, all or none.
   *
   * @param compactedRevision history up to here is no longer needed
   */
  void write(Changes changes, long compactedRevision) throws DiskException;

  void close() throws DiskException;
}
