/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.LeaseHandle;
import java.util.List;

/** What a group of requests changed, in order; becomes one SQLite transaction. */
record Changes(List<Revision> revisions, List<Lease> granted, List<LeaseHandle> ended) {

  Changes {
    revisions = List.copyOf(revisions);
    granted = List.copyOf(granted);
    ended = List.copyOf(ended);
  }

  boolean isEmpty() {
    return revisions.isEmpty() && granted.isEmpty() && ended.isEmpty();
  }
}
