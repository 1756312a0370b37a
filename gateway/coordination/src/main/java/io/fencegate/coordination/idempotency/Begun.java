/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.idempotency;

import io.fencegate.coordination.key.IdempotencyRecord;
import io.fencegate.policy.outcome.Refusal;
import java.util.function.Function;

/** What asking for a key came to. */
public sealed interface Begun {

  /** The key is this request's: it may be sent, once. */
  record Mine(Intent intent) implements Begun {}

  /** Another request had the key; an intent belongs to a gateway that lives. */
  record Taken(IdempotencyRecord record) implements Begun {}

  /** It could not be found out; nothing may be sent. */
  record Refused(Refusal refusal) implements Begun {}

  default <R> R fold(
      Function<? super Intent, ? extends R> mine,
      Function<? super IdempotencyRecord, ? extends R> taken,
      Function<? super Refusal, ? extends R> refused) {
    if (this instanceof Mine m) {
      return mine.apply(m.intent());
    }
    return this instanceof Taken t
        ? taken.apply(t.record())
        : refused.apply(((Refused) this).refusal());
  }
}
