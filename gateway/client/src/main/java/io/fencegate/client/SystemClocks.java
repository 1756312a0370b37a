/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;

/** The machine's own clocks: the one place of the SDK that reads them. */
final class SystemClocks implements Clocks {

  @Override
  public ClockReading read() {
    return new ClockReading(System.nanoTime(), System.currentTimeMillis());
  }
}
