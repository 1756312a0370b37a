/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.measure;

/** Waiting, for programs that measure. */
public final class Pauses {

  private Pauses() {}

  /** Blocks for so long. */
  public static void millis(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MeasurementFailure("interrupted", e);
    }
  }
}
