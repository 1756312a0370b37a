/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import java.util.function.Supplier;

/** Lets a signal end some work in an orderly way. */
final class OnSignal {

  private OnSignal() {}

  /** Does {@code work}; a signal that ends the process meanwhile runs {@code ending} first. */
  static <T> T during(Supplier<T> work, Runnable ending) {
    Thread hook = new Thread(ending, "fencegate-signal");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return work.get();
    } finally {
      forget(hook);
    }
  }

  private static void forget(Thread hook) {
    try {
      boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException alreadyEnding) {
      // The hook runs by now; nothing is to be taken back.
    }
  }
}
