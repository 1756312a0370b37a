/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;

/**
 * A lease that was extended.
 *
 * @param remainingMillis for how long it lives for certain
 */
public record Renewal(ResourceName resource, FencingToken token, long remainingMillis) {}
