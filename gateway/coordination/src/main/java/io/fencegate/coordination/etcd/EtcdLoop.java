/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * The driver's one thread: carries the connections, the timers and all state, so nothing here needs
 * a lock and no gateway's event loop waits for etcd.
 */
final class EtcdLoop implements Executor {

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("fencegate-etcd", true), NioIoHandler.newFactory());
  private final EventLoop loop = group.next();
  private final DoubleSupplier random;

  /** A loop. {@code random} gives 0 to 1 for the jitter of waits. */
  EtcdLoop(DoubleSupplier random) {
    this.random = random;
  }

  MultiThreadIoEventLoopGroup group() {
    return group;
  }

  /** Runs a task on the thread; drops it once the loop has ended. */
  @Override
  public void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException ended) {
      // Only late news of connections that are closed: nobody is left to hear them.
      return;
    }
  }

  /** Runs a task later. The answer cancels it. */
  Runnable after(Duration wait, Runnable task) {
    var timer = loop.schedule(task, wait.toNanos(), TimeUnit.NANOSECONDS);
    return () -> timer.cancel(false);
  }

  /** Between half of a time and all of it, so that gateways do not come back in step. */
  Duration jittered(Duration most) {
    return most.dividedBy(2).plusNanos((long) (random.getAsDouble() * most.toNanos() / 2));
  }

  /** The wait before the try after {@code failures} of them: doubles from {@code first}. */
  Duration backoff(Duration first, Duration most, int failures) {
    long nanos = first.toNanos() << Math.min(failures, 16);
    return jittered(nanos < most.toNanos() ? Duration.ofNanos(nanos) : most);
  }

  /** Ends the thread; the task runs when it has ended. */
  void end(Runnable ended) {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(unused -> ended.run());
  }
}
