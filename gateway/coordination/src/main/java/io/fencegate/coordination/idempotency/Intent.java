/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.idempotency;

import io.fencegate.coordination.key.Attempt;

/** The right to send a keyed write once, until it is settled or abandoned. */
public record Intent(Claim claim, Attempt attempt) {}
