/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

/**
 * A lock that the benchmark holds.
 *
 * @param resource its name
 * @param token its fencing token, decimal
 * @param leaseId its lease
 */
record HeldLock(String resource, String token, String leaseId) {}
