/* SPDX-License-Identifier: Apache-2.0 */
/** The lock service: acquire, wait, renew, release, show; the tokens come from here. */
@NullMarked
package io.fencegate.coordination.lock;

import org.jspecify.annotations.NullMarked;
