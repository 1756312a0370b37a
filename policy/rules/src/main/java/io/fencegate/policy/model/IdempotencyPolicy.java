/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import java.time.Duration;

/**
 * How writes with an Idempotency-Key are treated.
 *
 * @param required whether a write without an Idempotency-Key is refused
 * @param retention how long a result is kept, by the store's clock
 * @param scope within what a key names one write
 */
public record IdempotencyPolicy(boolean required, Duration retention, IdempotencyScope scope) {

  public static final IdempotencyPolicy DEFAULT =
      new IdempotencyPolicy(false, Duration.ofHours(24), IdempotencyScope.CALLER);
}
