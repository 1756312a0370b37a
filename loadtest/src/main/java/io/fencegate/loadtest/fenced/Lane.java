/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import java.util.List;

/**
 * A way that is set up and waits for requests.
 *
 * @param port of 127.0.0.1
 * @param requests that are sent in turn, one for each resource
 * @param pids of all processes between the callers and the service
 */
record Lane(Way way, int port, List<Request> requests, List<Long> pids) {}
