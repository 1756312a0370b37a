/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

/** The store cannot be opened; the message says what is wrong with the data directory. */
public final class EmbeddedStoreException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  EmbeddedStoreException(String message) {
    super(message);
  }

  EmbeddedStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
