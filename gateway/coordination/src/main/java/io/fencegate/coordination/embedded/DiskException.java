/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

/** The disk did not take something. */
final class DiskException extends Exception {

  private static final long serialVersionUID = 1L;

  /** What is known. */
  enum Effect {
    /** Nothing was changed, now or later. */
    NONE,
    /** Nothing was changed, for lack of room. */
    NO_SPACE,
    /** May or may not have been changed; the disk must not be used any more. */
    UNKNOWN
  }

  private final Effect effect;

  DiskException(Effect effect, String message, Throwable cause) {
    super(message, cause);
    this.effect = effect;
  }

  Effect effect() {
    return effect;
  }
}
