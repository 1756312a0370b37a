/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The reference adapter: an in-process log that shows what the SPI means, for tests and first
 * steps.
 */
@NullMarked
package io.fencegate.adapter.memory;

import org.jspecify.annotations.NullMarked;
