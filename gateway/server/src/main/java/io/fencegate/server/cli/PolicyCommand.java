/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.file.LoadedPolicies;
import io.fencegate.policy.file.PolicyFiles;
import io.fencegate.policy.file.PolicyLoad;
import io.fencegate.policy.file.PolicyMessage;
import io.fencegate.policy.file.SourceFile;
import io.fencegate.server.policy.PolicyChecks;
import io.fencegate.server.policy.PolicyFolder;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Commands about policy files. */
@Command(
    name = "policy",
    description = "Looks at policy files, and puts changed policies in force.",
    subcommands = {
      PolicyCommand.Check.class,
      PolicyCommand.Schema.class,
      PolicySwitchCommand.class
    })
final class PolicyCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      throw new CommandLine.ParameterException(spec.commandLine(), "which policy command?");
    }
  }

  /** Prints what editors check policy files against. */
  @Command(
      name = "schema",
      description = {
        "Prints the JSON Schema (draft-07) of policy files, for editors that complete and check"
            + " while one types."
      })
  static final class Schema implements Callable<Integer> {

    @Spec private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
      if (spec == null) {
        throw new IllegalStateException("not run by picocli");
      }
      PrintWriter out = spec.commandLine().getOut();
      out.println(PolicyFiles.schema().stripTrailing());
      out.flush();
      return ExitCode.OK;
    }
  }

  /** Says whether a gateway would take the files. */
  @Command(
      name = "check",
      description = {
        "Says whether a gateway with the installed adapters would take these files, as one set.",
        "Values of placeholders (env, file) are needed as at a start; nothing is connected to."
      })
  static final class Check implements Callable<Integer> {

    private final Surroundings surroundings;

    @Parameters(
        arity = "1..*",
        paramLabel = "FILE",
        description = "policy files, or directories whose *.yaml files are meant")
    private List<Path> paths = List.of();

    @Option(names = "--json", description = "print the result as JSON, to standard output")
    private boolean json;

    @Spec private @Nullable CommandSpec spec;

    Check(Surroundings surroundings) {
      this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
      List<SourceFile> files = new ArrayList<>();
      List<PolicyMessage> unreadable = new ArrayList<>();
      paths.forEach(path -> read(path, files, unreadable));
      PolicyLoad load =
          unreadable.isEmpty()
              ? new PolicyChecks(surroundings.adapters()).load(files, surroundings.values())
              : new PolicyLoad.Broken(unreadable);
      return load.fold(this::good, this::bad);
    }

    private static void read(Path path, List<SourceFile> files, List<PolicyMessage> unreadable) {
      try {
        if (Files.isDirectory(path)) {
          files.addAll(new PolicyFolder(path).read());
        } else {
          files.add(new SourceFile(path.toString(), Files.readString(path)));
        }
      } catch (IOException e) {
        unreadable.add(
            new PolicyMessage(path.toString(), 1, 1, "", given(path, e), "a policy file in UTF-8"));
      }
    }

    private static String given(Path path, IOException e) {
      return Files.isDirectory(path)
          ? "a directory that cannot be read, or with a file that is not UTF-8 text"
          : ConfigReading.reason(path, e);
    }

    private int good(LoadedPolicies loaded) {
      int policies = loaded.set().policies().size();
      if (json) {
        out().println(result(List.of()).put("policies", policies).encodePrettily());
      } else {
        out().println("ok: " + counted(policies));
      }
      out().flush();
      return ExitCode.OK;
    }

    private static String counted(int policies) {
      return switch (policies) {
        case 0 -> "0 policies (every request will be refused)";
        case 1 -> "1 policy";
        default -> policies + " policies";
      };
    }

    private int bad(List<PolicyMessage> messages) {
      if (json) {
        out().println(result(messages).encodePrettily());
        out().flush();
      } else {
        PrintWriter err = line().getErr();
        messages.forEach(message -> err.println(message.text()));
        err.flush();
      }
      return ExitCode.REFUSED;
    }

    private static JsonObject result(List<PolicyMessage> messages) {
      JsonArray all = new JsonArray();
      messages.forEach(
          it ->
              all.add(
                  new JsonObject()
                      .put("file", it.file())
                      .put("line", it.line())
                      .put("column", it.column())
                      .put("pointer", it.pointer())
                      .put("given", it.given())
                      .put("expected", it.expected())));
      return new JsonObject().put("ok", messages.isEmpty()).put("messages", all);
    }

    private PrintWriter out() {
      return line().getOut();
    }

    private CommandLine line() {
      if (spec == null) {
        throw new IllegalStateException("not run by picocli");
      }
      return spec.commandLine();
    }
  }
}
