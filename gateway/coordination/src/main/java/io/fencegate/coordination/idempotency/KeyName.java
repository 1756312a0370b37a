/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.idempotency;

import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.Key;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.ResourceName;

/**
 * An Idempotency-Key within its scope.
 *
 * @param caller empty where the key is everybody's
 */
public record KeyName(ResourceName resource, String caller, IdempotencyKey key) {

  Key in(Keyspace keys) {
    return keys.idempotency(resource, caller, key);
  }
}
