/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A worker's process; the demo starts it. */
@Command(name = "worker", hidden = true, description = "One settlement worker.")
final class WorkerCommand implements Callable<Integer> {

  private static final Duration TTL = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  @Option(names = "--name", required = true)
  private String name = "";

  @Option(names = "--gateway", required = true)
  private URI gateway = URI.create("");

  @Option(names = "--resource", required = true)
  private String resource = "";

  @Option(names = "--file", required = true)
  private Path file = Path.of("");

  @Option(names = "--insist")
  private boolean insists;

  @Override
  public Integer call() throws IOException {
    endWithTheDemo();
    Worker.Task task = new Worker.Task(gateway, resource, name, TTL, PATIENCE);
    Worker worker = new Worker(task, insists, WorkerCommand::tell);
    return worker.run(SettlementFile.read(file)) ? 0 : 1;
  }

  private static void tell(WorkerReport report) {
    System.out.println(report.line());
    System.out.flush();
  }

  /** The demo never writes to this process: its input ends when the demo does. */
  private static void endWithTheDemo() {
    Thread watcher =
        new Thread(
            () -> {
              try {
                if (System.in.read() < 0) {
                  Runtime.getRuntime().halt(1);
                }
              } catch (IOException e) {
                Runtime.getRuntime().halt(1);
              }
            },
            "end-with-the-demo");
    watcher.setDaemon(true);
    watcher.start();
  }
}
