/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Forwards requests to an HTTP service that knows nothing of tokens: each at most once, both bodies
 * streamed, and with an honest word on what may still land.
 */
@NullMarked
package io.fencegate.adapter.http;

import org.jspecify.annotations.NullMarked;
