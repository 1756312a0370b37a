/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.policy.model.ProxyPolicy;
import io.fencegate.policy.name.ResourceName;

/** Where a path leads: the resource that its route derives from it, and the resource's policy. */
public record RoutedPolicy(ResourceName resource, ProxyPolicy http, MatchedPolicy matched) {}
