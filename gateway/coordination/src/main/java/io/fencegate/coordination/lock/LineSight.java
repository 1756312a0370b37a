/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.store.Key;
import java.util.Optional;

/**
 * What a gateway knows of one lock and its queue: the newest answer, and the newest deletions that
 * it was told of. Answers and events arrive in any order, so revisions say which is newer. It only
 * tells when asking again can have another answer: as long as the lock is held, and as long as
 * somebody else is first at a free lock, nobody needs to ask.
 *
 * @param seenAt revision of the newest answer; 0 for none
 * @param held whether the lock was held then
 * @param head who was first in the queue then
 * @param lockDeletedAt revision of the newest deletion of the lock
 * @param placeDeletedAt revision of the newest deletion of any place
 */
record LineSight(
    long seenAt, boolean held, Optional<Key> head, long lockDeletedAt, long placeDeletedAt) {

  static final LineSight NONE = new LineSight(0, true, Optional.empty(), 0, 0);

  LineSight saw(long revision, boolean lockHeld, Optional<Key> first) {
    return revision < seenAt
        ? this
        : new LineSight(revision, lockHeld, first, lockDeletedAt, placeDeletedAt);
  }

  LineSight lockDeleted(long revision) {
    return new LineSight(seenAt, held, head, Math.max(lockDeletedAt, revision), placeDeletedAt);
  }

  LineSight placeDeleted(long revision) {
    return new LineSight(seenAt, held, head, lockDeletedAt, Math.max(placeDeletedAt, revision));
  }

  /** Whether the lock was free and this place first, in the newest answer. */
  boolean isFreeFor(Key place) {
    return !held && head.filter(place::equals).isPresent();
  }

  /** Whether something happened after the newest answer that can make it this place's turn. */
  boolean isOutdatedFor(Key place) {
    if (held) {
      return lockDeletedAt > seenAt;
    }
    return placeDeletedAt > seenAt && head.filter(place::equals).isEmpty();
  }
}
