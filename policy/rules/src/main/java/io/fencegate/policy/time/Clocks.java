/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.time;

/** Where the edge reads the time; everything below takes a {@link ClockReading}. Thread-safe. */
@FunctionalInterface
public interface Clocks {
  ClockReading read();
}
