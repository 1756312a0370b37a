/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

/** The other gateways keep epochs in another place than this one would. */
public final class EpochsElsewhere extends RuntimeException {

  private static final long serialVersionUID = 1L;

  EpochsElsewhere(String message) {
    super(message);
  }
}
