/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.store.Key;
import io.fencegate.policy.name.ResourceName;

/** Told what those who wait for locks may be waiting for. Revisions say what it is newer than. */
interface QueueChanges {

  void lockDeleted(ResourceName resource, long revision);

  void placeDeleted(ResourceName resource, Key place, long revision);

  /** Whatever happened up to this revision may have been missed. */
  void missedUpTo(long revision);
}
