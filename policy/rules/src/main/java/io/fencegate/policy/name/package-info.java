/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Names that come from outside, each with a strict parser; nothing else may build them from text.
 */
@NullMarked
package io.fencegate.policy.name;

import org.jspecify.annotations.NullMarked;
