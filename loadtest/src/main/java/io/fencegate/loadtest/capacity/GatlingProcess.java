/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.loadtest.measure.MeasuredProcess;
import io.fencegate.loadtest.measure.MeasurementFailure;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** A run of {@link LockSimulation} in a JVM of its own. */
final class GatlingProcess {

  /** In front of a phase's name when the simulation enters it. */
  static final String MARK = "fencegate-phase ";

  private static final int IDLE_MILLIS = 500;

  private GatlingProcess() {}

  /**
   * What a run came to.
   *
   * @param figures the simulation's own
   * @param assertionsHeld whether all of Gatling's assertions held
   */
  record Run(ObjectNode figures, boolean assertionsHeld) {}

  /**
   * Runs the simulation to its end.
   *
   * @param entered told of each phase when it begins, with the process's id
   */
  static Run run(LoadPlan plan, boolean strict, Path directory, BiConsumer<Phase, Long> entered) {
    Path out = directory.resolve("tally.json").toAbsolutePath();
    List<String> arguments = new ArrayList<>(plan.flags());
    arguments.add("-Xms256m");
    arguments.add("-Xmx1g");
    // The least processor time; its pauses are short, since hardly anything lives long.
    arguments.add("-XX:+UseParallelGC");
    // Gatling uses its connections in turn, never the one used last: without this all that one
    // slow moment opened would be kept busy for ever, thousands of them, as no worker would do.
    arguments.add("-Dgatling.http.pooledConnectionIdleTimeout=" + IDLE_MILLIS);
    arguments.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    arguments.add("-Dfencegate.load.out=" + out);
    arguments.add("-Dfencegate.load.strict=" + strict);
    arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
    arguments.add("io.gatling.app.Gatling");
    arguments.addAll(List.of("-s", LockSimulation.class.getName()));
    arguments.addAll(List.of("-rf", directory.resolve("gatling").toAbsolutePath().toString()));
    if (!strict) {
      arguments.add("-nr");
    }
    try {
      Files.createDirectories(directory);
      Files.deleteIfExists(out);
      MeasuredProcess gatling =
          MeasuredProcess.start(
              MeasuredProcess.java(arguments), directory, directory.resolve("gatling.err"));
      follow(gatling, directory.resolve("gatling.log"), entered);
      int exitCode = gatling.process().waitFor();
      if (!Files.isReadable(out)) {
        throw gatling.failed("Gatling ended with " + exitCode + " and left no figures");
      }
      return new Run((ObjectNode) new ObjectMapper().readTree(out.toFile()), exitCode == 0);
    } catch (IOException e) {
      throw new MeasurementFailure("cannot run Gatling", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MeasurementFailure("interrupted", e);
    }
  }

  private static void follow(MeasuredProcess gatling, Path log, BiConsumer<Phase, Long> entered)
      throws IOException {
    try (BufferedReader output = gatling.output();
        BufferedWriter copy = Files.newBufferedWriter(log)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith(MARK)) {
          entered.accept(Phase.valueOf(line.substring(MARK.length())), gatling.pid());
        } else {
          copy.write(line);
          copy.newLine();
        }
      }
    }
  }
}
