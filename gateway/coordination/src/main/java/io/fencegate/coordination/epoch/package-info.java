/* SPDX-License-Identifier: Apache-2.0 */
/** The highest accepted token per resource: verified and raised in one transaction. */
@NullMarked
package io.fencegate.coordination.epoch;

import org.jspecify.annotations.NullMarked;
