/* SPDX-License-Identifier: Apache-2.0 */
/** The lock service against a plain oracle, by random steps. */
@NullMarked
package io.fencegate.coordination.model;

import org.jspecify.annotations.NullMarked;
