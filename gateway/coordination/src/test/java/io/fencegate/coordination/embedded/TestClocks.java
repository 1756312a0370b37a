/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The JVM's clocks, which a test can push forward. */
public final class TestClocks implements Clocks {

  private final AtomicLong aheadNanos = new AtomicLong();

  public void advance(Duration by) {
    aheadNanos.addAndGet(by.toNanos());
  }

  @Override
  public ClockReading read() {
    return new ClockReading(System.nanoTime() + aheadNanos.get(), System.currentTimeMillis());
  }
}
