/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What waits for the writer's thread: bounded, in order. Its lock is held for moments only. */
final class Mailbox {

  enum Admission {
    ACCEPTED,
    FULL,
    CLOSED
  }

  private final Bounds bounds;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition stirred = lock.newCondition();
  private final ArrayDeque<Work> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private boolean closed;

  Mailbox(Bounds bounds) {
    this.bounds = bounds;
  }

  Admission offer(Work work) {
    lock.lock();
    try {
      if (closed) {
        return Admission.CLOSED;
      }
      if (waiting.size() >= bounds.waitingRequests()
          || waitingBytes + work.bytes() > bounds.waitingBytes()) {
        return Admission.FULL;
      }
      waiting.add(work);
      waitingBytes += work.bytes();
      stirred.signal();
      return Admission.ACCEPTED;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes what waits, up to a group, or waits for the first to come.
   *
   * @return the group, with nothing in it when the time is over; or empty when the mailbox is
   *     closed and everything was taken
   */
  Optional<List<Work>> take(long waitMillis) throws InterruptedException {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(waitMillis);
      while (waiting.isEmpty() && !closed && left > 0) {
        left = stirred.awaitNanos(left);
      }
      if (waiting.isEmpty() && closed) {
        return Optional.empty();
      }
      List<Work> group = new ArrayList<>();
      while (!waiting.isEmpty() && group.size() < bounds.groupRequests()) {
        Work work = waiting.remove();
        waitingBytes -= work.bytes();
        group.add(work);
      }
      return Optional.of(group);
    } finally {
      lock.unlock();
    }
  }

  /** Accepts nothing more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      stirred.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Accepts nothing more and gives back what waited. */
  List<Work> closeAndEmpty() {
    lock.lock();
    try {
      closed = true;
      List<Work> rest = List.copyOf(waiting);
      waiting.clear();
      waitingBytes = 0;
      return rest;
    } finally {
      lock.unlock();
    }
  }
}
