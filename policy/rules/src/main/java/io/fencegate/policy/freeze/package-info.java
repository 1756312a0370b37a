/* SPDX-License-Identifier: Apache-2.0 */
/** Which writes an operator has stopped. */
@NullMarked
package io.fencegate.policy.freeze;

import org.jspecify.annotations.NullMarked;
