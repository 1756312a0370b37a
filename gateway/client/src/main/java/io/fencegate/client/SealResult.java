/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.token.FencingToken;

/** What sealing a resource came to. */
public sealed interface SealResult {

  /** No write of an older token can land any more: what is read now stays true for us. */
  record Sealed(FencingToken epoch) implements SealResult {}

  /** Proof that nothing was raised. */
  record Refused(Problem problem) implements SealResult {}

  /** May or may not have been raised; sealing again is harmless. */
  record Unknown(Problem problem) implements SealResult {}

  /** Nothing left this process: the authority is in doubt or gone, or nobody could be reached. */
  record NotSent(String reason) implements SealResult {}
}
