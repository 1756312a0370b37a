/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import java.time.Duration;

/**
 * The claim of a write to be the one that its key names.
 *
 * @param fingerprint hex digest over the request's method, path, query and body; a second request
 *     with the same key and another fingerprint is refused
 * @param retention how long the outcome is kept at least
 */
public record KeyClaim(KeyScope scope, String fingerprint, Duration retention) {}
