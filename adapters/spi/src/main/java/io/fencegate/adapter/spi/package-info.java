/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What an adapter is to the gateway: the place where a write lands, with an honest word on what it
 * can promise about stale writers.
 */
@NullMarked
package io.fencegate.adapter.spi;

import org.jspecify.annotations.NullMarked;
