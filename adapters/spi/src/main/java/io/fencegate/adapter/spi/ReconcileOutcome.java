/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

/** What became of a write whose outcome was unknown. */
public sealed interface ReconcileOutcome {

  record Applied() implements ReconcileOutcome {}

  /** It was not applied and never will be. */
  record NeverApplied() implements ReconcileOutcome {}

  record StillUnknown(String reason) implements ReconcileOutcome {}
}
