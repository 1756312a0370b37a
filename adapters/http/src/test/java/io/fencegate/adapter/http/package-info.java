/* SPDX-License-Identifier: Apache-2.0 */
/** What the HTTP adapter decides without a wire; what it does on one is tested with a gateway. */
@NullMarked
package io.fencegate.adapter.http;

import org.jspecify.annotations.NullMarked;
