/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.StoreException;

/** Something that waits for the writer's thread. Ends with exactly one of settled and failed. */
interface Work {

  /** For the bound on what waits. */
  long bytes();

  /** Decides on the state as it is when this work's turn has come; nobody is told yet. */
  void judge(StoreState state);

  /** Everything up to and including this work is durable: tells the one who asked. */
  void settled(WatchHub watches);

  /** It came to nothing, as far as the exception says. */
  void failed(StoreException cause);
}
