/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.witness;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The witness of the coordinator's history cannot be read. Going on without it could let a restored
 * coordinator's tokens through, so the gateway does not start.
 */
public final class UnusableWitness extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnusableWitness(Path file, String why, @Nullable Throwable cause) {
    super("cannot read the witness of the coordinator's history " + file + ": " + why, cause);
  }
}
