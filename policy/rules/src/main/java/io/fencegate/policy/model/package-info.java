/* SPDX-License-Identifier: Apache-2.0 */
/** The policy model that files are read into and that requests are matched against. */
@NullMarked
package io.fencegate.policy.model;

import org.jspecify.annotations.NullMarked;
