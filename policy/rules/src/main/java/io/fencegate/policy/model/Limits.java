/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

/**
 * Bounds on what one resource may ask of the gateway.
 *
 * @param maxInFlight writes of one resource that may be worked on at once, 1 to 10,000
 * @param maxBodyBytes the largest body of a write, 1 byte to 64 MiB
 */
public record Limits(int maxInFlight, int maxBodyBytes) {

  public static final Limits DEFAULT = new Limits(64, 256 * 1024);
}
