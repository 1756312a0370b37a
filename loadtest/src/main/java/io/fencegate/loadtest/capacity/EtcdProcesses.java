/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import java.util.List;

/** The etcd processes that this one has started. */
final class EtcdProcesses {

  private EtcdProcesses() {}

  static List<Long> pids() {
    return ProcessHandle.current()
        .children()
        .filter(child -> child.info().command().filter(it -> it.endsWith("/etcd")).isPresent())
        .map(ProcessHandle::pid)
        .toList();
  }
}
