/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.name.ResourceName;
import java.time.Duration;
import java.util.List;

/**
 * Several locks that were taken together. Each has a token and a lease of its own and is renewed by
 * itself; a write goes through the lock of the resource that it is for. There is no transaction
 * over all of them. Thread-safe.
 */
public final class HeldLocks implements AutoCloseable {

  private final List<HeldLock> inOrder;

  HeldLocks(List<HeldLock> inOrder) {
    this.inOrder = List.copyOf(inOrder);
  }

  /** The locks in the order in which they were taken: the byte order of their names. */
  public List<HeldLock> locks() {
    return inOrder;
  }

  /**
   * The lock of this resource.
   *
   * @throws IllegalArgumentException when it is none of these
   */
  public HeldLock lock(String resource) {
    return inOrder.stream()
        .filter(lock -> lock.resource().value().equals(resource))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'" + resource + "' was given, expected one of " + names()));
  }

  /** Whether every one of them is confirmed at this moment; false where one is in doubt or lost. */
  public boolean isHeld() {
    return inOrder.stream().allMatch(lock -> lock.state().isLeading());
  }

  /** How much confirmed authority is left over all of them: that of the least. */
  public Duration remaining() {
    return inOrder.stream().map(HeldLock::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
  }

  /** Adds a listener that is told of every lock's changes from now on. */
  public void addListener(LeaseListener listener) {
    inOrder.forEach(lock -> lock.addListener(listener));
  }

  /** Gives every lock back, the last one taken first. Idempotent. */
  @Override
  public void close() {
    for (int i = inOrder.size() - 1; i >= 0; i--) {
      inOrder.get(i).close();
    }
  }

  private List<ResourceName> names() {
    return inOrder.stream().map(HeldLock::resource).toList();
  }

  /** Resources, tokens and states; never a lease id. */
  @Override
  public String toString() {
    return inOrder.toString();
  }
}
