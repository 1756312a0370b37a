/* SPDX-License-Identifier: Apache-2.0 */
/**
 * An adapter as a third party would write it. Every write becomes a line of a file; a file compares
 * no tokens, so the gateway does.
 */
@NullMarked
package io.fencegate.adapter.example;

import org.jspecify.annotations.NullMarked;
