/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.idempotency;

import io.fencegate.coordination.key.RequestFingerprint;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.policy.token.FencingToken;

/**
 * A request's claim to be the one that its key names.
 *
 * @param ttlClass how long its outcome is kept, counted from when it is recorded
 */
public record Claim(
    KeyName name, RequestFingerprint fingerprint, FencingToken token, TtlClass ttlClass) {}
