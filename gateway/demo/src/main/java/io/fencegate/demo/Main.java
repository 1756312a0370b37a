/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneId;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fencegate demo}: the main job on embedded parts, told as it happens. */
@Command(
    name = "fencegate demo",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = WorkerCommand.class,
    // Its only one is the demo's own business.
    synopsisSubcommandLabel = "",
    description = {
      "Posts a settlement file with two workers, freezes the first one in the middle, and shows"
          + " that it can do no harm when it comes back. Everything runs on this machine and"
          + " listens on 127.0.0.1 only."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:the paused worker was refused and the ledger matches the file",
      "1:it was not, or it does not",
      "2:wrong usage",
      "3:a part could not be started or did not answer"
    })
public final class Main implements Callable<Integer> {

  private static final int MISMATCH = 1;
  private static final int USAGE = 2;
  private static final int UNAVAILABLE = 3;
  private static final String SERVER_JAR_PROPERTY = "fencegate.server.jar";

  @Option(names = "--keep", description = "Leave everything running and show what to try by hand.")
  private boolean keep;

  @Option(names = "--json", description = "Print the final table as JSON; the timeline on stderr.")
  private boolean json;

  /** Which build this is, from the jar's manifest. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"fencegate demo " + (version == null ? "(development build)" : version)};
    }
  }

  private final Cleanup cleanup = new Cleanup();

  /** Entry point; see {@code --help}. */
  public static void main(String[] args) {
    CommandLine commands = new CommandLine(new Main());
    commands.setParameterExceptionHandler(Main::unusable);
    System.exit(commands.execute(args));
  }

  private static int unusable(CommandLine.ParameterException problem, String[] args) {
    CommandLine command = problem.getCommandLine();
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    err.println(name + ": " + problem.getMessage());
    CommandLine.UnmatchedArgumentException.printSuggestions(problem, err);
    err.println("see: " + name + " --help");
    err.flush();
    return USAGE;
  }

  @Override
  public Integer call() throws InterruptedException {
    Runtime.getRuntime().addShutdownHook(new Thread(cleanup::run, "cleanup"));
    Timeline timeline =
        new Timeline(
            json ? System.err : System.out,
            Clock.system(ZoneId.systemDefault()),
            !json && Timeline.terminalWithColours(System.getenv()));
    try {
      return play(timeline);
    } catch (DemoFailure | IOException | URISyntaxException e) {
      if (!cleanup.hasBegun()) {
        timeline.bad("demo", String.valueOf(e.getMessage()));
      }
      return UNAVAILABLE;
    } finally {
      cleanup.run();
    }
  }

  private int play(Timeline timeline)
      throws DemoFailure, IOException, URISyntaxException, InterruptedException {
    Demo demo = new Demo(new Demo.Parts(serverJar(), ownJar(), timeline, cleanup));
    Demo.Played played = demo.play();
    if (json) {
      System.out.println(played.summary().json());
    } else {
      timeline.block(played.summary().table());
    }
    if (keep) {
      timeline.block(
          KeepInstructions.of(
              played.gateway(), played.ledger().port(), ProcessHandle.current().pid()));
      // Only a signal ends this; the shutdown hook cleans up.
      new CountDownLatch(1).await();
    }
    return played.summary().good() ? 0 : MISMATCH;
  }

  private static Path ownJar() throws URISyntaxException {
    return Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Where the launcher says, or where the build puts it beside the demo's own jar. */
  private static Path serverJar() throws URISyntaxException {
    String given = System.getProperty(SERVER_JAR_PROPERTY);
    return given != null
        ? Path.of(given)
        : ownJar().resolveSibling("../../server/target/fencegate.jar").normalize();
  }
}
