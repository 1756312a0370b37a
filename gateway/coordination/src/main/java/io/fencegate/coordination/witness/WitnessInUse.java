/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.witness;

import java.nio.file.Path;

/** Another gateway keeps its witness in the same directory. */
public final class WitnessInUse extends RuntimeException {

  private static final long serialVersionUID = 1L;

  WitnessInUse(Path lock) {
    super(
        "data directory "
            + lock.toAbsolutePath().getParent()
            + " is in use by another gateway, which holds "
            + lock.getFileName());
  }
}
