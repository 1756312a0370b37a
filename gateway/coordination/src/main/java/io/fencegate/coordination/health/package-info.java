/* SPDX-License-Identifier: Apache-2.0 */
/** How the coordinator is, looked at now and then for people, warnings and witnesses. */
@NullMarked
package io.fencegate.coordination.health;

import org.jspecify.annotations.NullMarked;
