/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Time that passes between calls and faults. */
final class Pauses {

  private Pauses() {}

  static void millis(long millis) {
    LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
  }
}
