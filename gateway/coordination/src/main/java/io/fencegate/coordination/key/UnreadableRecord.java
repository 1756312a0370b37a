/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import org.jspecify.annotations.Nullable;

/** A key of ours holds what no gateway has put there. */
public final class UnreadableRecord extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableRecord(String what) {
    this(what, null);
  }

  UnreadableRecord(String what, @Nullable Throwable cause) {
    super(
        what
            + " in the coordinator cannot be read: was it put there by hand? An operator has to"
            + " delete it",
        cause);
  }
}
