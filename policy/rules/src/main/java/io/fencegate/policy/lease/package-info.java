/* SPDX-License-Identifier: Apache-2.0 */
/** The holder's side of a lease: what a worker may believe of its own authority, and until when. */
@NullMarked
package io.fencegate.policy.lease;

import org.jspecify.annotations.NullMarked;
