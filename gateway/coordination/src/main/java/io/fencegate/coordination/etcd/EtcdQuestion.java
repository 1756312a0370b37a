/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.etcd.jetcd.api.ResponseHeader;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.function.Function;

/**
 * A request of etcd.
 *
 * @param header of an answer, which says whose it is
 * @param reading what the answer means; may throw where it means nothing, which is like no answer
 * @param effect whether it may be sent again when nothing is known of it
 * @param deadline within which it is answered or given up
 */
record EtcdQuestion<Q, A, T>(
    MethodDescriptor<Q, A> method,
    Q request,
    Function<A, ResponseHeader> header,
    Function<A, T> reading,
    Effect effect,
    Duration deadline) {}
