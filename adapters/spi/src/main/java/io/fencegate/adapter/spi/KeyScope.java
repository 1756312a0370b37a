/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.ResourceName;

/**
 * What a key names a write within.
 *
 * @param caller the principal where the policy's scope is {@code caller}, empty where it is {@code
 *     resource}
 */
public record KeyScope(ResourceName resource, String caller, IdempotencyKey key) {}
