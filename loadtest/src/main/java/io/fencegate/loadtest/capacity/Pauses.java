/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

/** Waiting, for programs that measure. */
final class Pauses {

  private Pauses() {}

  static void millis(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CapacityFailure("interrupted", e);
    }
  }
}
