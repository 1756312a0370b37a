/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that asks a gateway for something and says what came of it. */
abstract class RemoteCommand implements Callable<Integer> {

  private final Surroundings surroundings;

  @Option(names = "--json", description = "print the answer or the problem as JSON")
  private boolean json;

  @Spec private @Nullable CommandSpec spec;

  RemoteCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public final Integer call() {
    return run(url());
  }

  /** Where the gateway is. */
  abstract URI url();

  /** Does the work; gives the exit code. */
  abstract int run(URI gateway);

  /** What to do when nobody knows whether it was done. */
  abstract String adviceInDoubt();

  final String environment(String name) {
    return surroundings.environment().getOrDefault(name, "");
  }

  /** The option's value, else the variable's, else the default. */
  final URI url(@Nullable String given, String variable, String otherwise) {
    String fallback = environment(variable).isBlank() ? otherwise : environment(variable);
    String text = given == null ? fallback : given;
    try {
      URI url = new URI(text);
      boolean usable = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (usable && url.getHost() != null) {
        return url;
      }
    } catch (URISyntaxException e) {
      throw unusable(notAnAddress(text));
    }
    throw unusable(notAnAddress(text));
  }

  private static String notAnAddress(String text) {
    return "'" + text + "' was given, expected an address such as http://127.0.0.1:8080";
  }

  final CommandLine.ParameterException unusable(String message) {
    return new CommandLine.ParameterException(line(), message);
  }

  final int report(RemoteCalls.Reply reply) {
    return reply instanceof RemoteCalls.Reply.Failed failed
        ? failed(failed.exitCode(), failed.problem())
        : done(((RemoteCalls.Reply.Done) reply).answer());
  }

  /** The same where the gateway may also answer that there was nothing it could do. */
  final int report(RemoteCalls.Reply reply, Predicate<JsonObject> achieved) {
    int exitCode = report(reply);
    return reply instanceof RemoteCalls.Reply.Done done && !achieved.test(done.answer())
        ? ExitCode.REFUSED
        : exitCode;
  }

  final int done(JsonObject answer) {
    PrintWriter out = line().getOut();
    if (json) {
      out.println(answer.encodePrettily());
    } else {
      JsonText.lines(answer).forEach(out::println);
    }
    out.flush();
    return ExitCode.OK;
  }

  final int failed(int exitCode, JsonObject problem) {
    if (json) {
      line().getOut().println(problem.encodePrettily());
      line().getOut().flush();
      return exitCode;
    }
    PrintWriter err = err();
    err.println(
        line().getCommandSpec().qualifiedName()
            + ": "
            + problem.getValue("code")
            + ": "
            + problem.getValue("detail"));
    String next = exitCode == ExitCode.UNKNOWN ? adviceInDoubt() : Advice.on(problem).orElse("");
    if (!next.isEmpty()) {
      err.println("next: " + next);
    }
    err.flush();
    return exitCode;
  }

  final PrintWriter err() {
    return line().getErr();
  }

  private CommandLine line() {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return spec.commandLine();
  }
}
