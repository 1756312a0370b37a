/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.clock;

import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;

/** The machine's clocks; the only place in the server that reads them. Thread-safe. */
public final class SystemClocks implements Clocks {
  @Override
  public ClockReading read() {
    return new ClockReading(System.nanoTime(), System.currentTimeMillis());
  }
}
