/* SPDX-License-Identifier: Apache-2.0 */
/** What operators speak with: liveness, readiness, metrics, the admin endpoints. */
@NullMarked
package io.fencegate.server.operator;

import org.jspecify.annotations.NullMarked;
