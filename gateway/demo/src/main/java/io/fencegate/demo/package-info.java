/* SPDX-License-Identifier: Apache-2.0 */
/** The main job, shown: a paused worker comes back and is refused, and the ledger stays right. */
@NullMarked
package io.fencegate.demo;

import org.jspecify.annotations.NullMarked;
