/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

/** What carrying out a request does, and so whether it may be sent twice. */
enum Effect {
  /** Nothing, a read. */
  NONE,
  /** Nothing that anybody notices, such as a lease that nobody uses. */
  HARMLESS,
  /** Deletes at most; sent once. */
  DELETES,
  /** Puts or touches, if the branch with them runs; sent once. */
  PUTS;

  boolean mayBeRepeated() {
    return this == NONE || this == HARMLESS;
  }
}
