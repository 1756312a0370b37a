/* SPDX-License-Identifier: Apache-2.0 */
/** The policies that are in force and the adapters that they name. */
@NullMarked
package io.fencegate.server.policy;

import org.jspecify.annotations.NullMarked;
