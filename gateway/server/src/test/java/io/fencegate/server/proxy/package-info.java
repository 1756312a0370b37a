/* SPDX-License-Identifier: Apache-2.0 */
/** Requests through a running gateway to a service that knows nothing of tokens. */
package io.fencegate.server.proxy;
