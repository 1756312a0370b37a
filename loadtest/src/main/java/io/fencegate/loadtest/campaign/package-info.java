/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Clients that take, renew and release few locks over HTTP while gateways, etcd nodes and wires
 * fail; what they saw is kept as a history for {@link
 * io.fencegate.loadtest.history.HistoryChecker}.
 */
@NullMarked
package io.fencegate.loadtest.campaign;

import org.jspecify.annotations.NullMarked;
