/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;

/** The machine's clocks. */
public final class SystemClocks implements Clocks {
  @Override
  public ClockReading read() {
    return new ClockReading(System.nanoTime(), System.currentTimeMillis());
  }
}
