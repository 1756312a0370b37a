/* SPDX-License-Identifier: Apache-2.0 */
/** The memory adapter against the contract. */
@NullMarked
package io.fencegate.adapter.example;

import org.jspecify.annotations.NullMarked;
