/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import io.fencegate.coordination.store.CoordinationStore;

/** A real coordinator that can be backed up, restored, wiped and exchanged under its gateways. */
interface RestorableCoordinator extends AutoCloseable {

  /** Stays the same whatever happens behind it. */
  CoordinationStore store();

  /** Keeps a copy of all that there is now. */
  void backUp();

  /** Puts the copy back. */
  void restore();

  /** Starts anew with nothing. */
  void wipe();

  /** Restarts it with all that it has. */
  void restart();

  @Override
  void close();
}
