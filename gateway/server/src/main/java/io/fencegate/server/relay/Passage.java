/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.relay;

import io.fencegate.policy.outcome.Refusal;
import java.util.function.Function;
import java.util.function.Supplier;

/** What became of a request that may belong to another gateway. */
public sealed interface Passage {

  /** It is for this gateway; nothing of it has been read. */
  record Here() implements Passage {}

  /** The other gateway's answer has been passed on, or there is nobody left to answer. */
  record Over() implements Passage {}

  /** It was not answered; the refusal says whether it may have been carried out. */
  record Refused(Refusal refusal) implements Passage {}

  default <T> T fold(
      Supplier<? extends T> here,
      Supplier<? extends T> over,
      Function<? super Refusal, ? extends T> refused) {
    if (this instanceof Refused no) {
      return refused.apply(no.refusal());
    }
    return this instanceof Here ? here.get() : over.get();
  }
}
