/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.measure;

/** A measurement could not be made; the message says why and what to do. */
public final class MeasurementFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public MeasurementFailure(String message) {
    super(message);
  }

  public MeasurementFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
