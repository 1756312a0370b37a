/* SPDX-License-Identifier: Apache-2.0 */
/** What every adapter has to prove, as tests to inherit, and a network to break on purpose. */
@NullMarked
package io.fencegate.adapter.tck;

import org.jspecify.annotations.NullMarked;
