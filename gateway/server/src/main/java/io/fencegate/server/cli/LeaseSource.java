/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.token.LeaseId;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Where a command gets a lease from. It is a secret, and everybody on a machine can read the
 * command lines of all processes, so it cannot stand in one.
 */
final class LeaseSource {

  static final String VARIABLE = "FENCING_LEASE";

  /** Far more than a lease, and than the whole answer of an acquire. */
  private static final int MAX_BYTES = 64 * 1024;

  private static final String STANDARD_INPUT = "-";

  @Option(
      names = "--lease",
      paramLabel = STANDARD_INPUT,
      description = "'-': read the lease from standard input")
  private @Nullable String fromStandardInput;

  @Option(
      names = "--lease-file",
      paramLabel = "FILE",
      description =
          "a file with the lease, or with what 'lock acquire --json' printed; without either"
              + " option it is the variable "
              + VARIABLE)
  private @Nullable Path file;

  /** The lease, or why there is none that can be used. */
  Parsed<LeaseId> read(String fromEnvironment) {
    if (fromStandardInput != null && !fromStandardInput.equals(STANDARD_INPUT)) {
      return Parsed.unusable(
          "something else than '-'",
          "--lease - and the lease on standard input: others can read command lines");
    }
    if (fromStandardInput != null && file != null) {
      return Parsed.unusable("--lease and --lease-file", "one of them");
    }
    try {
      if (fromStandardInput != null) {
        return lease(text(System.in.readNBytes(MAX_BYTES)));
      }
      Path chosen = file;
      if (chosen != null) {
        try (var in = Files.newInputStream(chosen)) {
          return lease(text(in.readNBytes(MAX_BYTES)));
        }
      }
    } catch (IOException e) {
      return Parsed.malformed(
          file == null ? "standard input" : file.toString(), "a lease that can be read there");
    }
    return fromEnvironment.isBlank()
        ? Parsed.unusable(
            "no lease", "the variable " + VARIABLE + ", --lease-file FILE, or --lease -")
        : lease(fromEnvironment.strip());
  }

  private static String text(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8).strip();
    Arrays.fill(bytes, (byte) 0);
    return text;
  }

  private static Parsed<LeaseId> lease(String text) {
    if (text.startsWith("{")) {
      try {
        return LeaseId.parse(new JsonObject(text).getString("leaseId", ""));
      } catch (DecodeException | ClassCastException e) {
        return Parsed.unusable("JSON that cannot be read", "an acquire's answer");
      }
    }
    return LeaseId.parse(text);
  }
}
