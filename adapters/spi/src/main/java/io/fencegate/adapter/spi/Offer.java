/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.model.Guarantee;

/**
 * What an adapter can keep.
 *
 * @param guarantee the strongest it can promise with its present settings
 * @param reason why, in one sentence for operators
 */
public record Offer(Guarantee guarantee, String reason) {}
