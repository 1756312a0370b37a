/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.relay;

import java.util.function.Function;
import java.util.function.Supplier;

/** How one sending of a request to another gateway ended. */
sealed interface HopEnd {

  /** Its answer has been passed on, whole or cut off; or the caller has gone. */
  record Over() implements HopEnd {}

  /** Proven that it was not carried out and will not be, and nothing of its body was read. */
  record NotTaken(String reason) implements HopEnd {}

  /** It may have been carried out; there is no answer. */
  record Unknown(String reason) implements HopEnd {}

  default <T> T fold(
      Supplier<? extends T> over,
      Function<? super NotTaken, ? extends T> notTaken,
      Function<? super Unknown, ? extends T> unknown) {
    if (this instanceof NotTaken no) {
      return notTaken.apply(no);
    }
    return this instanceof Unknown doubt ? unknown.apply(doubt) : over.get();
  }
}
