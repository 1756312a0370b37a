/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.policy.outcome.WriteOutcome;
import io.fencegate.policy.token.FencingToken;
import org.jspecify.annotations.Nullable;

/**
 * What a write came to, with the epoch as this gateway knows it then.
 *
 * @param token the token judged; for a replay the one that was applied
 * @param epoch the highest accepted; null where nothing is known
 */
public record WriteReport(WriteOutcome outcome, FencingToken token, @Nullable FencingToken epoch) {}
