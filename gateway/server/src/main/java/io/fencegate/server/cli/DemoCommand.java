/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Says where the demo is: it has a jar of its own, because it brings a database along. */
@Command(name = "demo", description = "Shows a stale worker being stopped, on embedded parts.")
final class DemoCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() {
    if (spec != null) {
      spec.commandLine()
          .getErr()
          .println(
              "The demo is not part of this jar. Run: deploy/demo (or deploy/bin/fencegate demo)");
    }
    return ExitCode.USAGE;
  }
}
