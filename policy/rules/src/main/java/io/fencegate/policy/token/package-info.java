/* SPDX-License-Identifier: Apache-2.0 */
/** Fencing tokens, generations, leases: what proves who may write. */
@NullMarked
package io.fencegate.policy.token;

import org.jspecify.annotations.NullMarked;
