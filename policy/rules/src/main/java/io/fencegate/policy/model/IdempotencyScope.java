/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import java.util.Locale;

/** Within what an Idempotency-Key names one write. */
public enum IdempotencyScope {
  /** Per caller and resource: two callers' equal keys are two writes. */
  CALLER,
  /** Per resource: a successor under another identity finds its predecessor's record. */
  RESOURCE;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
