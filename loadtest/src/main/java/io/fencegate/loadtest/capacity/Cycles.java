/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import io.vertx.core.Future;

/** A way to take a lock that is free and to release it. Used from one context. */
interface Cycles {

  String name();

  /**
   * Takes and releases one lock.
   *
   * @param number of the cycle in its round; those under way at once have different resources
   * @return fails where either did not work
   */
  Future<Void> cycle(long number);
}
