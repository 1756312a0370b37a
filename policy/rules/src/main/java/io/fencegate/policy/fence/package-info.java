/* SPDX-License-Identifier: Apache-2.0 */
/** The one decision table and the barrier that makes entering the decision. */
@NullMarked
package io.fencegate.policy.fence;

import org.jspecify.annotations.NullMarked;
