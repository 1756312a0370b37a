/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time that moves only when a test says so; due tasks run on the test's thread, in order. */
final class ManualTime implements Clocks, Timers {

  private static final class Task {
    final long dueMillis;
    final Runnable work;
    boolean cancelled;

    Task(long dueMillis, Runnable work) {
      this.dueMillis = dueMillis;
      this.work = work;
    }
  }

  private final List<Task> tasks = new ArrayList<>();
  private long millis;
  private long wallAheadMillis;
  private boolean pausesEnded;
  private boolean closed;

  @Override
  public synchronized ClockReading read() {
    return new ClockReading(millis * 1_000_000, 1_700_000_000_000L + millis + wallAheadMillis);
  }

  synchronized long millis() {
    return millis;
  }

  /** The machine was suspended: the wall clock went on alone. */
  synchronized void suspend(long forMillis) {
    wallAheadMillis += forMillis;
  }

  /** Time passes while no task of this process can run, as under SIGSTOP. */
  synchronized void freeze(long forMillis) {
    millis += forMillis;
  }

  @Override
  public synchronized Pending after(long delayMillis, Runnable work) {
    Task task = new Task(millis + Math.max(0, delayMillis), work);
    if (!closed) {
      tasks.add(task);
    }
    return () -> task.cancelled = true;
  }

  void advance(long byMillis) {
    long end = millis() + byMillis;
    for (Task task = nextDue(end); task != null; task = nextDue(end)) {
      task.work.run();
    }
    synchronized (this) {
      millis = Math.max(millis, end);
    }
  }

  private synchronized Task nextDue(long end) {
    tasks.removeIf(task -> task.cancelled);
    Task next =
        tasks.stream()
            .filter(task -> task.dueMillis <= end)
            .min(Comparator.comparingLong(task -> task.dueMillis))
            .orElse(null);
    if (next != null) {
      tasks.remove(next);
      millis = Math.max(millis, next.dueMillis);
    }
    return next;
  }

  synchronized int pendingTasks() {
    tasks.removeIf(task -> task.cancelled);
    return tasks.size();
  }

  @Override
  public boolean pause(long forMillis) {
    advance(forMillis);
    synchronized (this) {
      return !pausesEnded;
    }
  }

  @Override
  public synchronized void endPauses() {
    pausesEnded = true;
  }

  @Override
  public synchronized void close() {
    pausesEnded = true;
    closed = true;
    tasks.clear();
  }
}
