/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.StoreException;

/** A watch that is to be opened once what was asked before is durable. */
record WatchOpening(Subscription subscription) implements Work {

  private static final long SIZE_BYTES = 256;

  @Override
  public long bytes() {
    return SIZE_BYTES;
  }

  @Override
  public void judge(StoreState state) {}

  @Override
  public void settled(WatchHub watches) {
    watches.open(subscription);
  }

  @Override
  public void failed(StoreException cause) {
    subscription.lose(String.valueOf(cause.getMessage()));
  }
}
