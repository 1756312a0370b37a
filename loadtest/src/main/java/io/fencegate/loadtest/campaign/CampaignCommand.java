/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import io.fencegate.loadtest.history.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a campaign for people. */
@Command(
    name = "loadtest/campaign",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Lets clients fight for a few locks while gateways, etcd nodes and wires fail,",
      "then checks that one lock per resource explains every answer.",
      "All traffic stays on 127.0.0.1.",
      "Exit codes: 0 explained, 1 violation, 3 the campaign could not run, 4 not found out."
    })
final class CampaignCommand implements Callable<Integer> {

  private static final int EXIT_VIOLATION = 1;
  private static final int EXIT_BROKEN = 3;
  private static final int EXIT_UNDECIDED = 4;

  @Option(
      names = "--seconds",
      defaultValue = "120",
      description = "how long (default: ${DEFAULT-VALUE})")
  private int seconds;

  @Option(names = "--clients", defaultValue = "8", description = "default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(names = "--gateways", defaultValue = "2", description = "default: ${DEFAULT-VALUE}")
  private int gateways;

  @Option(names = "--nodes", defaultValue = "3", description = "default: ${DEFAULT-VALUE}")
  private int nodes;

  @Option(names = "--seed", description = "of clients' and faults' choices (default: random)")
  private long seed = new Random().nextLong() >>> 16;

  @Option(names = "--server-jar", required = true, hidden = true)
  private Path serverJar = Path.of("");

  @Option(
      names = "--directory",
      required = true,
      description = "for the history and the gateways' files")
  private Path directory = Path.of("");

  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new CampaignCommand())
            .setExecutionExceptionHandler(
                (failure, line, parsed) -> {
                  failure.printStackTrace(line.getErr());
                  return EXIT_BROKEN;
                })
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    Files.createDirectories(directory);
    System.out.println("seed " + seed);
    Plan plan =
        new Plan(Duration.ofSeconds(seconds), clients, gateways, nodes, seed, serverJar, directory);
    Campaign.Report report = Campaign.run(plan, System.out::println);
    System.out.println(report.table());
    System.out.println("history: " + report.file());
    return verdict(report.verdict());
  }

  private static int verdict(Verdict verdict) {
    if (verdict instanceof Verdict.Violation violation) {
      System.out.println("VIOLATION at " + violation.resource() + ": " + violation.excerpt());
      return EXIT_VIOLATION;
    }
    if (verdict instanceof Verdict.Undecided undecided) {
      System.out.println(
          "not found out: "
              + undecided.resource()
              + " took more than "
              + undecided.configurations()
              + " configurations");
      return EXIT_UNDECIDED;
    }
    Verdict.Explained explained = (Verdict.Explained) verdict;
    System.out.println(
        "explained: one lock per resource gives all "
            + explained.operations()
            + " answers ("
            + explained.configurations()
            + " configurations looked at)");
    return 0;
  }
}
