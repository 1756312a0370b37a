/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import io.fencegate.coordination.store.StoreException;

/** What is said where the coordinator has no room left. */
final class OutOfSpace {

  private OutOfSpace() {}

  static boolean is(Throwable failure) {
    return failure instanceof StoreException known && known.kind() == StoreException.Kind.NO_SPACE;
  }

  static String reason(Throwable failure) {
    return "the coordinator is out of space ("
        + failure.getMessage()
        + "): make room (etcd: compact, defragment or raise the quota, then disarm the alarm)";
  }
}
