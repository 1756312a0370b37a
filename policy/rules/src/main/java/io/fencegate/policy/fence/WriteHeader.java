/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseProof;
import io.fencegate.policy.token.TokenSignature;
import org.jspecify.annotations.Nullable;

/**
 * What a writer shows.
 *
 * @param proof of the leaseId that came with the write; null when none came
 * @param signature of the token's issuer; null when none came
 */
public record WriteHeader(
    FencingToken token, @Nullable LeaseProof proof, @Nullable TokenSignature signature) {

  /** Without a signature. */
  public WriteHeader(FencingToken token, @Nullable LeaseProof proof) {
    this(token, proof, null);
  }
}
