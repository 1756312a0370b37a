/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.model.ResourcePolicy;

/**
 * A policy and where it stands in the loaded set.
 *
 * @param pointer {@code /resources/<index>}, the index counted across all files in their order
 */
public record PlacedPolicy(String pointer, ResourcePolicy policy) {}
