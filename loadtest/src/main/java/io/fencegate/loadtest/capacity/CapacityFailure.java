/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

/** A measurement could not be made; the message says why and what to do. */
final class CapacityFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  CapacityFailure(String message) {
    super(message);
  }

  CapacityFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
