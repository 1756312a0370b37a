/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Timers on one daemon thread per client. */
final class SystemTimers implements Timers {

  private static final System.Logger LOG = System.getLogger(SystemTimers.class.getName());

  private final ScheduledThreadPoolExecutor executor;
  private final CountDownLatch noMorePauses = new CountDownLatch(1);

  SystemTimers() {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "fencegate-client");
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public Pending after(long millis, Runnable task) {
    try {
      Future<?> future =
          executor.schedule(() -> runLogged(task), Math.max(0, millis), TimeUnit.MILLISECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException closedMeanwhile) {
      return () -> {};
    }
  }

  private static void runLogged(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "a task of the fencegate client failed", e);
    }
  }

  @Override
  public boolean pause(long millis) throws InterruptedException {
    return !noMorePauses.await(millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void endPauses() {
    noMorePauses.countDown();
  }

  @Override
  public void close() {
    endPauses();
    executor.shutdown();
  }
}
