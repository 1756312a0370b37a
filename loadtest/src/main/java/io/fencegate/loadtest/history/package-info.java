/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Whether a concurrent history of lock calls could come from one fenced lock per resource. Shares
 * no decision with the product: plain numbers and texts.
 */
@NullMarked
package io.fencegate.loadtest.history;

import org.jspecify.annotations.NullMarked;
