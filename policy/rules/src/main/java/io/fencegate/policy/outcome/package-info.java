/* SPDX-License-Identifier: Apache-2.0 */
/** What a request came to: closed families instead of exceptions, nulls and flags. */
@NullMarked
package io.fencegate.policy.outcome;

import org.jspecify.annotations.NullMarked;
