/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import java.util.List;

/** Told of changes on the context that opened the watch, in revision order within one watch. */
public interface WatchListener {

  /** Changes of one or more whole revisions; never empty. */
  void changed(List<WatchEvent> events);

  /**
   * The watch has ended, because the history that it needs is gone or the store is: read again,
   * then open a new one.
   */
  void lost(String reason);
}
