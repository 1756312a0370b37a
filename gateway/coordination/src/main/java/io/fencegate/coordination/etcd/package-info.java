/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The store of gateways that share an etcd: 3.4 or newer, over the gRPC stubs that jetcd ships.
 *
 * <p>All state of the driver lives on one thread, {@link io.fencegate.coordination.etcd.EtcdLoop}.
 * Each node has a channel of its own and is asked for its status every second; calls go to a node
 * that answers and knows a leader, and wait where there is none. {@link
 * io.fencegate.coordination.etcd.EtcdFailures} is the one place that says what a failure means. A
 * transaction is sent once; only what etcd refused before it ran is sent again.
 */
@NullMarked
package io.fencegate.coordination.etcd;

import org.jspecify.annotations.NullMarked;
