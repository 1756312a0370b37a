/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Reads policy files into the policy model; whatever is wrong with them has a line and a column.
 */
@NullMarked
package io.fencegate.policy.file;

import org.jspecify.annotations.NullMarked;
