/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.outcome;

import java.util.function.Function;

/**
 * Yes with a value, or no with a reason.
 *
 * @param <T> what a yes carries
 */
public sealed interface Ruling<T> {

  record Granted<T>(T value) implements Ruling<T> {}

  record Refused<T>(Refusal refusal) implements Ruling<T> {}

  static <T> Ruling<T> granted(T value) {
    return new Granted<>(value);
  }

  static <T> Ruling<T> refused(Refusal refusal) {
    return new Refused<>(refusal);
  }

  default <R> R fold(
      Function<? super T, ? extends R> granted, Function<? super Refusal, ? extends R> refused) {
    if (this instanceof Granted<T> yes) {
      return granted.apply(yes.value());
    }
    return refused.apply(((Refused<T>) this).refusal());
  }

  default <R> Ruling<R> map(Function<? super T, ? extends R> mapper) {
    return fold(value -> granted(mapper.apply(value)), Ruling::refused);
  }

  default <R> Ruling<R> then(Function<? super T, Ruling<R>> next) {
    return fold(next, Ruling::refused);
  }
}
