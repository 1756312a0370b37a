/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.policy.outcome.Refusal;
import java.util.Optional;

/**
 * What enforcing would have said of a write that was sent on in any case.
 *
 * @param refusal empty where it would have been accepted too
 */
public record ShadowVerdict(Optional<Refusal> refusal) {

  static final ShadowVerdict ACCEPTED = new ShadowVerdict(Optional.empty());

  static ShadowVerdict refused(Refusal refusal) {
    return new ShadowVerdict(Optional.of(refusal));
  }
}
