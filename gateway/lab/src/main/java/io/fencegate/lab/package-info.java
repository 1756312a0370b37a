/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Real etcd processes on free ports of 127.0.0.1, for tests and load tests: started, paused,
 * killed, restarted, wiped and restored from a snapshot. Blocking; not for event loops.
 */
@NullMarked
package io.fencegate.lab;

import org.jspecify.annotations.NullMarked;
