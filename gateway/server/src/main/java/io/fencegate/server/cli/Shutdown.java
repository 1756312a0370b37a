/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns a signal into a graceful stop with an exit code of its own. The JVM would end with 128 plus
 * the signal's number however well the stop went, and a supervisor could not tell it from a crash;
 * so the hook ends the process itself once everything is closed.
 */
final class Shutdown {

  private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);

  private final CountDownLatch ended = new CountDownLatch(1);
  private final ServerProcess process;
  private final @Nullable DevSetup dev;

  private Shutdown(ServerProcess process, @Nullable DevSetup dev) {
    this.process = process;
    this.dev = dev;
  }

  static Shutdown onSignal(ServerProcess process, @Nullable DevSetup dev) {
    Shutdown shutdown = new Shutdown(process, dev);
    Runtime.getRuntime().addShutdownHook(new Thread(shutdown::stopAndHalt, "fencegate-shutdown"));
    return shutdown;
  }

  /** Waits as long as the gateway serves. */
  int await() {
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.OK;
  }

  private void stopAndHalt() {
    Optional<Throwable> problem = process.stop();
    problem.ifPresent(cause -> LOG.error("not everything could be closed", cause));
    if (dev != null) {
      dev.delete();
    }
    System.out.flush();
    System.err.flush();
    Runtime.getRuntime().halt(problem.isEmpty() ? ExitCode.OK : ExitCode.REFUSED);
  }
}
