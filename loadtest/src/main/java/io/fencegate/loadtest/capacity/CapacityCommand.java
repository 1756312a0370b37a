/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.loadtest.measure.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures how much a gateway carries, and tells it as a table and as JSON. */
@Command(
    name = "loadtest/capacity",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures how many locks a gateway carries, on real etcd processes of this machine:",
      "  workload  the load it is made for, three nodes, one killed half-way, compaction running",
      "  rate      the highest rate on one node",
      "  cycles    lock and unlock beside etcd's own lock API",
      "All traffic stays on 127.0.0.1. Takes about ten minutes with its defaults."
    })
final class CapacityCommand implements Callable<Integer> {

  private static final int EXIT_GOALS_MISSED = 1;

  /** The parts of the measurement. */
  enum Part {
    WORKLOAD,
    RATE,
    CYCLES
  }

  @Option(
      names = "--parts",
      split = ",",
      paramLabel = "PART",
      description = "workload, rate, cycles (default: all)")
  private Set<Part> parts = EnumSet.allOf(Part.class);

  @Option(
      names = "--resources",
      defaultValue = "100000",
      description = "known names (default: ${DEFAULT-VALUE})")
  private int resources;

  @Option(
      names = "--held",
      defaultValue = "20000",
      description = "locks held all the time (default: ${DEFAULT-VALUE})")
  private int held;

  @Option(
      names = "--rate",
      defaultValue = "2000",
      description = "acquires, and as many releases, per second (default: ${DEFAULT-VALUE})")
  private double rate;

  @Option(
      names = "--renewals",
      defaultValue = "2000",
      description =
          "renewals per second (default: ${DEFAULT-VALUE}; 30 s locks renewed every third of it)")
  private double renewals;

  @Option(
      names = "--fill",
      defaultValue = "30",
      description = "seconds to take the held locks in (default: ${DEFAULT-VALUE})")
  private int fill;

  @Option(
      names = "--warm-up",
      defaultValue = "200",
      description =
          "seconds of load before measuring, two fifths of them rising (default: ${DEFAULT-VALUE}: records of requests live 120 s, so then as many end as begin)")
  private int warmUp;

  @Option(
      names = "--duration",
      defaultValue = "120",
      description = "seconds of full load that are measured (default: ${DEFAULT-VALUE})")
  private int duration;

  @Option(
      names = "--kill",
      defaultValue = "FOLLOWER",
      description =
          "which node dies half-way: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
  private WorkloadPart.Victim kill = WorkloadPart.Victim.FOLLOWER;

  @Option(
      names = "--first-rate",
      defaultValue = "1000",
      description = "where the search for the highest rate begins (default: ${DEFAULT-VALUE})")
  private double firstRate;

  @Option(
      names = "--step",
      defaultValue = "12",
      description = "seconds per step of that search (default: ${DEFAULT-VALUE})")
  private int step;

  @Option(
      names = "--steps",
      defaultValue = "8",
      description = "at most so many steps each way (default: ${DEFAULT-VALUE})")
  private int steps;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "rounds of cycles (default: ${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--round",
      defaultValue = "5",
      description = "seconds per round (default: ${DEFAULT-VALUE})")
  private int round;

  @Option(
      names = "--at-once",
      defaultValue = "512",
      description = "cycles under way at once (default: ${DEFAULT-VALUE})")
  private int atOnce;

  @Option(names = "--server-jar", required = true, hidden = true)
  private Path serverJar = Path.of("");

  @Option(names = "--directory", required = true, hidden = true)
  private Path directory = Path.of("");

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "where the figures go (default: loadtest/target/capacity.json)")
  private Path json = Path.of("capacity.json");

  @Option(
      names = "--gateway-flag",
      paramLabel = "FLAG",
      description =
          "a flag for the gateway's JVM, such as -XX:StartFlightRecording:filename=/tmp/g.jfr; may be repeated")
  private List<String> gatewayFlags = List.of();

  /** Runs the command. */
  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new CapacityCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    Files.createDirectories(directory);
    long startNanos = System.nanoTime();
    Setting setting =
        new Setting(
            serverJar.toAbsolutePath(),
            directory.toAbsolutePath(),
            gatewayFlags,
            what ->
                System.err.printf(
                    "capacity: %4d s  %s%n",
                    Duration.ofNanos(System.nanoTime() - startNanos).toSeconds(), what));
    ObjectNode figures = measure(setting);
    new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(json.toFile(), figures);
    System.out.print(CapacityTable.of(figures));
    System.out.println("JSON: " + json.toAbsolutePath());
    return goalsMet(figures) ? CommandLine.ExitCode.OK : EXIT_GOALS_MISSED;
  }

  private ObjectNode measure(Setting setting) {
    ObjectNode figures = JsonNodeFactory.instance.objectNode();
    figures.put("at", Instant.now().toString());
    Machine.putInto(figures.putObject("machine"));
    if (parts.contains(Part.WORKLOAD)) {
      figures.set("workload", new WorkloadPart(setting, plan(), kill).run());
    }
    if (parts.contains(Part.RATE)) {
      figures.set("highestRate", new HighestRatePart(setting, firstRate, step, steps).run());
    }
    if (parts.contains(Part.CYCLES)) {
      figures.set(
          "cycles", new CyclesPart(setting, rounds, Duration.ofSeconds(round), atOnce).run());
    }
    return figures;
  }

  private LoadPlan plan() {
    int half = duration / 2;
    return new LoadPlan(
        "",
        Long.toHexString(System.nanoTime()),
        resources,
        held,
        new LoadPlan.Rates(rate, renewals),
        new LoadPlan.Times(fill, warmUp, half, duration - half));
  }

  /** The workload's goals; the other parts have none of their own. */
  private static boolean goalsMet(ObjectNode figures) {
    return figures.path("workload").isMissingNode()
        || (figures.path("workload").path("assertionsHeld").asBoolean()
            && figures.path("workload").path("lostLeases").asLong() == 0);
  }
}
