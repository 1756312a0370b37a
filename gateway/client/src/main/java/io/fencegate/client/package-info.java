/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The Java SDK for workers: take a lock, keep it, write under its token.
 *
 * <p>{@link io.fencegate.client.FencegateClient} is where it begins. An {@link
 * io.fencegate.client.AcquireRequest} is one wish for one lock, {@link
 * io.fencegate.client.AcquireOptions} say how it is wanted and how long it may be waited for;
 * {@code acquireAll} takes several locks in an order that cannot deadlock. A {@link
 * io.fencegate.client.HeldLock} is renewed until it is closed or lost.
 */
@NullMarked
package io.fencegate.client;

import org.jspecify.annotations.NullMarked;
