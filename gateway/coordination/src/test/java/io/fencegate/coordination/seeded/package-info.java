/* SPDX-License-Identifier: Apache-2.0 */
/** Random tests that can be repeated from a seed and shrink what fails. */
@NullMarked
package io.fencegate.coordination.seeded;

import org.jspecify.annotations.NullMarked;
