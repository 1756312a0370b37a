/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/** The store did not do what was asked; {@link #kind()} says what is known of the effect. */
public final class StoreException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What is known. */
  public enum Kind {
    /** Not carried out, now or later. */
    DEFINITE,
    /** May or may not be carried out, now or later. */
    INDEFINITE,
    /** Not carried out, because a put or touch names a lease that is gone. */
    LEASE_GONE,
    /**
     * Not carried out, because the store is out of disk space. Batches that only delete may still
     * pass.
     */
    NO_SPACE
  }

  private final Kind kind;

  public StoreException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public StoreException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
