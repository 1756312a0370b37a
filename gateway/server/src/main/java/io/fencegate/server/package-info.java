/* SPDX-License-Identifier: Apache-2.0 */
/** The composition root: one gateway from its parts. */
@NullMarked
package io.fencegate.server;

import org.jspecify.annotations.NullMarked;
