/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

/** What carrying out a request twice would do. */
enum Effect {
  /** Nothing, a read. */
  NONE,
  /** Nothing that anybody notices, such as a lease that nobody uses. */
  HARMLESS,
  /** Harm: it is sent once. */
  ONCE
}
