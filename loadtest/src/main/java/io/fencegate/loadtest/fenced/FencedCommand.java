/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.loadtest.measure.Machine;
import io.fencegate.loadtest.measure.MeasurementFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what fencing HTTP writes costs, and tells it as a table and as JSON. */
@Command(
    name = "loadtest/fenced",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures fenced HTTP writes through a gateway beside nginx, with wrk, all on 127.0.0.1.",
      "Takes about six minutes with its defaults, on two processors that nobody else uses.",
      "Exit codes: 0 all aims met, 1 one missed or not measured, 3 it could not be measured."
    })
final class FencedCommand implements Callable<Integer> {

  private static final int EXIT_AIMS_MISSED = 1;
  private static final int EXIT_BROKEN = 3;

  /** Calls nest deeper than the recorder's usual 64 where futures complete each other. */
  private static final int STACK_DEPTH = 256;

  @Option(
      names = "--rows",
      split = ",",
      paramLabel = "ROW",
      converter = WayOption.class,
      description =
          "fenced, fenced-keyed, fenced-bare, unfenced, nginx, nginx-auth, nginx-auth-apart (default: all but fenced-keyed)")
  private Set<Way> rows = EnumSet.complementOf(EnumSet.of(Way.FENCED_KEYED));

  @Option(
      names = "--with-keys",
      description = "measure fenced writes with an Idempotency-Key of their own too")
  private boolean withKeys;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "rounds of each row (default: ${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--round",
      defaultValue = "8s",
      converter = SecondsOption.class,
      description = "how long each lasts (default: ${DEFAULT-VALUE})")
  private Duration round = Duration.ZERO;

  @Option(
      names = "--warm-up",
      defaultValue = "15s",
      converter = SecondsOption.class,
      description = "of each row, before the first round (default: ${DEFAULT-VALUE})")
  private Duration warmUp = Duration.ZERO;

  @Option(
      names = "--connections",
      defaultValue = "64",
      description = "of the generator, one request at a time each (default: ${DEFAULT-VALUE})")
  private int connections;

  @Option(
      names = "--resources",
      defaultValue = "64",
      description = "written to in turn, each with a lock of its own (default: ${DEFAULT-VALUE})")
  private int resources;

  @Option(
      names = "--body",
      defaultValue = "128",
      paramLabel = "BYTES",
      description = "of each write (default: ${DEFAULT-VALUE})")
  private int bodyBytes;

  @Option(
      names = "--proxy-core",
      defaultValue = "0",
      description = "the processor of gateway and nginx (default: ${DEFAULT-VALUE})")
  private int proxyCore;

  @Option(
      names = "--load-core",
      defaultValue = "1",
      description = "the processor of generator and service (default: ${DEFAULT-VALUE})")
  private int loadCore;

  @Option(names = "--server-jar", required = true, hidden = true)
  private Path serverJar = Path.of("");

  @Option(names = "--directory", required = true, hidden = true)
  private Path directory = Path.of("");

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "where the figures go (default: loadtest/target/fenced.json)")
  private Path json = Path.of("fenced.json");

  @Option(
      names = "--profile",
      description = "record the gateway with Flight Recorder, which slows it down a little")
  private boolean profile;

  @Option(
      names = "--gateway-flag",
      paramLabel = "FLAG",
      description = "a flag for the gateway's JVM; may be repeated")
  private List<String> gatewayFlags = new ArrayList<>();

  /** Runs the command. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return new CommandLine(new FencedCommand())
        .setExecutionExceptionHandler(
            (failure, line, parsed) -> {
              if (failure instanceof MeasurementFailure) {
                line.getErr().println("fenced: " + failure.getMessage());
              } else {
                failure.printStackTrace(line.getErr());
              }
              return EXIT_BROKEN;
            });
  }

  @Override
  public Integer call() throws IOException {
    Plan plan =
        new Plan(
            rounds,
            round,
            warmUp,
            connections,
            resources,
            bodyBytes,
            new Cores(proxyCore, loadCore));
    plan.objection()
        .ifPresent(
            objection -> {
              throw new MeasurementFailure(objection);
            });
    Path folder = Files.createDirectories(directory.toAbsolutePath());
    forgetEarlierLocks(folder);
    ObjectNode figures = measure(plan, folder);
    new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(json.toFile(), figures);
    System.out.print(FencedTable.of(figures));
    System.out.println("JSON: " + json.toAbsolutePath());
    if (profile) {
      System.out.println("Flight Recorder: " + recording(folder));
    }
    return allMet(figures.path("aims")) ? CommandLine.ExitCode.OK : EXIT_AIMS_MISSED;
  }

  private ObjectNode measure(Plan plan, Path folder) {
    ObjectNode figures = JsonNodeFactory.instance.objectNode();
    figures.put("at", Instant.now().toString());
    Machine.putInto(figures.putObject("machine"));
    figures.put("nginx", NginxProcess.version(folder));
    plan.putInto(figures.putObject("plan"));
    long startNanos = System.nanoTime();
    plan.cores().moveThisProcess(folder);
    try (Bench bench = Bench.start(setting(plan, folder))) {
      Figures measured =
          new Benchmark(
                  bench,
                  plan,
                  new Wrk(folder, plan),
                  what ->
                      System.err.printf(
                          "fenced: %4d s  %s%n",
                          Duration.ofNanos(System.nanoTime() - startNanos).toSeconds(), what))
              .run();
      figures.set("rows", measured.json());
      figures.set("aims", Aims.json(measured));
    }
    return figures;
  }

  private Bench.Setting setting(Plan plan, Path folder) {
    List<String> flags = new ArrayList<>(gatewayFlags);
    if (profile) {
      flags.add("-XX:FlightRecorderOptions:stackdepth=" + STACK_DEPTH);
      flags.add(
          "-XX:StartFlightRecording:filename="
              + recording(folder)
              + ",settings=profile,dumponexit=true");
    }
    Set<Way> ways = EnumSet.copyOf(rows);
    if (withKeys) {
      ways.add(Way.FENCED_KEYED);
    }
    return new Bench.Setting(serverJar.toAbsolutePath(), folder, flags, ways, plan);
  }

  private static Path recording(Path folder) {
    return folder.resolve("gateway.jfr");
  }

  private static boolean allMet(JsonNode aims) {
    for (JsonNode aim : aims) {
      if (!aim.path("verdict").asText().equals(Aims.Verdict.MET.wireName())) {
        return false;
      }
    }
    return true;
  }

  /** Each run starts anew: locks of an earlier one may not have run out yet. */
  private static void forgetEarlierLocks(Path folder) throws IOException {
    Path data = folder.resolve(Bench.GATEWAY).resolve("data");
    if (Files.isDirectory(data)) {
      try (Stream<Path> earlier = Files.walk(data)) {
        for (Path path : earlier.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  /** A row by its key. */
  static final class WayOption implements CommandLine.ITypeConverter<Way> {
    @Override
    public Way convert(String given) {
      return Way.of(given)
          .orElseThrow(
              () -> new CommandLine.TypeConversionException("no row is called '" + given + "'"));
    }
  }

  /** Whole seconds, {@code 8s} or {@code 8}. */
  static final class SecondsOption implements CommandLine.ITypeConverter<Duration> {
    @Override
    public Duration convert(String given) {
      if (!given.matches("[1-9][0-9]{0,5}s?")) {
        throw new CommandLine.TypeConversionException(
            "'" + given + "' was given, expected whole seconds such as 8s");
      }
      return Duration.ofSeconds(Long.parseLong(given.replace("s", "")));
    }
  }
}
