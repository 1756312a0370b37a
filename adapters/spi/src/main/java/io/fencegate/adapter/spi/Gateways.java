/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

/** How many gateways may write to the same downstreams. */
public enum Gateways {
  /** This one only: its coordinator's files are locked while it runs. */
  ONE,
  /** Any number, on one coordinator. */
  SEVERAL
}
