/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Which gateway owns a resource, as far as this one knows. Never a permission: what is carried out
 * here compares the ownership in the coordinator, and what is sent elsewhere is looked at again
 * there.
 */
public sealed interface Whereabouts {

  /** This gateway. */
  record Here() implements Whereabouts {}

  /**
   * Another gateway.
   *
   * @param session its session with the coordinator
   * @param address {@code host:port} of its worker port
   */
  record Elsewhere(String session, String address) implements Whereabouts {}

  /**
   * Nobody at present: the last owner has ended, and its successor waits or is not known yet.
   *
   * @param reason for people
   */
  record Nowhere(String reason) implements Whereabouts {}

  default <T> T fold(
      Supplier<? extends T> here,
      Function<? super Elsewhere, ? extends T> elsewhere,
      Function<? super Nowhere, ? extends T> nowhere) {
    if (this instanceof Elsewhere there) {
      return elsewhere.apply(there);
    }
    return this instanceof Nowhere none ? nowhere.apply(none) : here.get();
  }
}
