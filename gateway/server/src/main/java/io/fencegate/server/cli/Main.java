/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The {@code fencegate} command. */
@Command(
    name = "fencegate",
    description = "A write gateway that lets only the current lease holder's writes through.",
    subcommands = {
      LockCommand.class,
      BreakCommand.class,
      FreezeCommand.class,
      UnfreezeCommand.class,
      FreezesCommand.class,
      ClusterCommand.class,
      ResetEpochCommand.class,
      PolicyCommand.class,
      SqlCommand.class,
      DemoCommand.class
    },
    versionProvider = Version.class,
    mixinStandardHelpOptions = true,
    scope = CommandLine.ScopeType.INHERIT,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:ok",
      "1:refused: it was understood and is not possible",
      "2:the command line cannot be used",
      "3:unavailable: a port, a directory or a server that is needed",
      "4:unknown: it may or may not have been done"
    })
public final class Main implements Runnable {

  private static final String PARSER_PREFIX = "Error: ";

  @Spec private @Nullable CommandSpec spec;

  private Main() {}

  public static void main(String[] args) {
    int exitCode = commandLine(Surroundings.ofThisProcess()).execute(args);
    System.exit(exitCode);
  }

  /** The whole command tree; replace its streams to capture what it prints. */
  static CommandLine commandLine(Surroundings surroundings) {
    CommandLine commands = new CommandLine(new Main(), new CommandFactory(surroundings));
    commands.addSubcommand(ServeCommand.create(surroundings));
    Converters.register(commands);
    commands.setExecutionExceptionHandler(Main::unexpected);
    commands.setParameterExceptionHandler(Main::unusable);
    return commands;
  }

  @Override
  public void run() {
    if (spec != null) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "which command? One of those below");
    }
  }

  private static int unusable(CommandLine.ParameterException problem, String[] args) {
    CommandLine command = problem.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(command.getCommandSpec().qualifiedName() + ": " + plain(problem.getMessage()));
    if (!CommandLine.UnmatchedArgumentException.printSuggestions(problem, err)
        && !command.getSubcommands().isEmpty()) {
      err.println("commands: " + String.join(", ", List.copyOf(command.getSubcommands().keySet())));
    }
    err.println("see: " + command.getCommandSpec().qualifiedName() + " --help");
    err.flush();
    return ExitCode.USAGE;
  }

  /** Some of the parser's messages bring a prefix of their own. */
  private static String plain(@Nullable String message) {
    String text = message == null ? "cannot be used" : message;
    return text.startsWith(PARSER_PREFIX) ? text.substring(PARSER_PREFIX.length()) : text;
  }

  private static int unexpected(
      Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    LoggerFactory.getLogger(Main.class).error("failed in a way that nobody foresaw", failure);
    command.getErr().println("This is a defect of Fencegate: please report the lines above.");
    command.getErr().flush();
    return ExitCode.UNAVAILABLE;
  }
}
