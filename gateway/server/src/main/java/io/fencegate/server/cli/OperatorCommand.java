/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command that talks to a gateway's operator port. */
abstract class OperatorCommand extends RemoteCommand {

  private static final String VARIABLE = "FENCEGATE_OPERATOR_URL";
  private static final String DEFAULT = "http://127.0.0.1:8081";

  @Option(
      names = "--operator",
      paramLabel = "URL",
      description =
          "the gateway's operator port (default: the variable "
              + VARIABLE
              + ", or "
              + DEFAULT
              + ")")
  private @Nullable String operator;

  OperatorCommand(Surroundings surroundings) {
    super(surroundings);
  }

  /** Why an operator does it is for others to read. */
  final void needsReason(String reason) {
    if (reason.isBlank()) {
      throw unusable("an empty --reason was given, expected one that a colleague understands");
    }
  }

  @Override
  final URI url() {
    return url(operator, VARIABLE, DEFAULT);
  }
}
