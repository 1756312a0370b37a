/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command that talks to a gateway's worker port. */
abstract class WorkerCommand extends RemoteCommand {

  private static final String VARIABLE = "FENCEGATE_URL";
  private static final String DEFAULT = "http://127.0.0.1:8080";

  @Option(
      names = "--gateway",
      paramLabel = "URL",
      description =
          "the gateway's worker port (default: the variable " + VARIABLE + ", or " + DEFAULT + ")")
  private @Nullable String gateway;

  WorkerCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  final URI url() {
    return url(gateway, VARIABLE, DEFAULT);
  }
}
