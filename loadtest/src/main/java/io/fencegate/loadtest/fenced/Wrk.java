/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import io.fencegate.loadtest.measure.MeasuredProcess;
import io.fencegate.loadtest.measure.MeasurementFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The generator: sends a lane's requests, so many at once, each connection's next when it is
 * answered.
 */
final class Wrk {

  /** Longer than a gateway gives a request, so that it answers first. */
  private static final String TIMEOUT = "20s";

  private final Path directory;
  private final Plan plan;

  Wrk(Path directory, Plan plan) {
    this.directory = directory;
    this.plan = plan;
  }

  /** Blocks for about so long. */
  WrkFigures run(Lane lane, Duration length) {
    Path script = directory.resolve("wrk-" + lane.way().key() + ".lua");
    try {
      Files.writeString(script, script(lane));
    } catch (IOException e) {
      throw new MeasurementFailure("cannot write " + script, e);
    }
    MeasuredProcess wrk =
        MeasuredProcess.start(
            command(lane, script, length), directory, directory.resolve("wrk.log"));
    String output = wrk.wholeOutput();
    wrk.end();
    return WrkFigures.parse(output)
        .orElseThrow(() -> wrk.failed("wrk printed no figures but:\n" + output));
  }

  private static String script(Lane lane) {
    return lane.way() == Way.FENCED_KEYED
        ? WrkScript.withKeys(lane.requests(), UUID.randomUUID().toString())
        : WrkScript.of(lane.requests());
  }

  private List<String> command(Lane lane, Path script, Duration length) {
    List<String> command = new ArrayList<>(Cores.pinnedTo(plan.cores().load()));
    command.addAll(List.of("wrk", "-t1", "-c" + plan.connections()));
    command.addAll(List.of("-d" + length.toSeconds() + "s", "--timeout", TIMEOUT, "--latency"));
    command.addAll(List.of("-s", script.toString(), "http://127.0.0.1:" + lane.port() + "/"));
    return command;
  }
}
