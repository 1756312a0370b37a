/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

/** A part of the lab could not be started or did not do what it was told; says how to help. */
public final class LabException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  LabException(String message) {
    super(message);
  }

  LabException(String message, Throwable cause) {
    super(message, cause);
  }
}
