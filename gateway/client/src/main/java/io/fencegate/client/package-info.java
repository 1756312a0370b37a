/* SPDX-License-Identifier: Apache-2.0 */
/** The Java SDK for workers: take a lock, keep it, write under its token. */
@NullMarked
package io.fencegate.client;

import org.jspecify.annotations.NullMarked;
