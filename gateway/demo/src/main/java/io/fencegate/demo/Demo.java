/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import io.fencegate.demo.WorkerReport.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The script. Read {@link #play} from top to bottom. */
final class Demo {

  private static final String REGION = "eu";
  private static final String RESOURCE = "settlement/" + REGION;

  /** Far enough in that both workers do a good part of the file. */
  private static final int STOP_AFTER = 120;

  /** A worker reports every posting; a line for each would hide the story. */
  private static final int TELL_EVERY = 60;

  /** JVM start on a busy machine. */
  private static final Duration START_PATIENCE = Duration.ofSeconds(20);

  /** The lease of 5 s has to run out, then the waiting worker asks at most 2 s later. */
  private static final Duration TAKEOVER_PATIENCE = Duration.ofSeconds(30);

  /** Some ten times what the whole file takes. */
  private static final Duration WORK_PATIENCE = Duration.ofSeconds(60);

  /** What the demo is made of. */
  record Parts(Path serverJar, Path ownJar, Timeline timeline, Cleanup cleanup) {}

  /** What is running at the end of the script. */
  record Played(Summary summary, GatewayProcess.Addresses gateway, Ledger ledger) {}

  private final Parts parts;
  private final Timeline timeline;

  Demo(Parts parts) {
    this.parts = parts;
    timeline = parts.timeline();
  }

  Played play() throws DemoFailure, IOException, InterruptedException {
    Path directory = temporaryDirectory();
    Path csv = settlementFile(directory);
    SettlementFile file = SettlementFile.read(csv);
    tellOf(file);

    timeline.say("demo", "unpacks and starts PostgreSQL");
    Ledger ledger = Ledger.start(directory, Ports.free());
    parts.cleanup().add(ledger::close);
    timeline.say("ledger", "PostgreSQL listens on 127.0.0.1:" + ledger.port());

    GatewayProcess process = GatewayProcess.start(parts.serverJar(), directory, ledger.url());
    parts.cleanup().add(process::end);
    GatewayProcess.Addresses gateway = process.awaitReady();
    timeline.say(
        "gateway",
        "ready: worker port " + gateway.worker() + ", operator port " + gateway.operator());

    WorkerProcess a = worker("worker-a", gateway, directory, csv, "--insist");
    WorkerReport heldByA = a.await(is(Kind.HELD), "it has the lock", START_PATIENCE);
    WorkerProcess b = worker("worker-b", gateway, directory, csv);

    a.await(progressOf(STOP_AFTER), STOP_AFTER + " postings are done", WORK_PATIENCE);
    b.await(is(Kind.ASKING), "it asks for the lock", START_PATIENCE);
    a.stop();
    timeline.bad(
        "demo", "SIGSTOP to worker-a (process " + a.pid() + "): frozen in the middle of its work");
    timeline.say("demo", "its lease of " + heldByA.fact("ttlMillis") + " ms runs out now");

    b.await(is(Kind.HELD), "it has the lock", TAKEOVER_PATIENCE);
    WorkerReport endOfB = b.await(is(Kind.DONE), "it is done", WORK_PATIENCE);

    timeline.bad("demo", "SIGCONT to worker-a: it goes on as if nothing had happened");
    a.resume();
    WorkerReport refusal =
        a.await(
            report -> report.kind() == Kind.REFUSED || report.kind() == Kind.LET_THROUGH,
            "the answer to its next write",
            WORK_PATIENCE);
    WorkerReport endOfA = a.await(is(Kind.DONE), "it is done", START_PATIENCE);

    timeline.say("demo", "comparing the ledger with the file");
    Reconciliation compared = Reconciliation.of(file.postings(), ledger.entries(REGION));
    Summary summary = new Summary(Summary.Counts.of(endOfA, endOfB, refusal), file, compared);
    return new Played(summary, gateway, ledger);
  }

  private Path temporaryDirectory() throws IOException {
    Path directory = Files.createTempDirectory("fencegate-demo-");
    parts.cleanup().add(() -> deleteAll(directory));
    return directory;
  }

  private static void deleteAll(Path directory) throws IOException {
    List<Path> paths;
    try (Stream<Path> found = Files.walk(directory)) {
      paths = found.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : paths) {
      Files.deleteIfExists(path);
    }
  }

  private static Path settlementFile(Path directory) throws IOException {
    Path file = directory.resolve("settlement-eu.csv");
    try (InputStream shipped = Demo.class.getResourceAsStream("settlement-eu.csv")) {
      if (shipped == null) {
        throw new IOException("the settlement file is missing from the demo's jar");
      }
      Files.copy(shipped, file);
    }
    return file;
  }

  private void tellOf(SettlementFile file) {
    timeline.say("file", file.postings().size() + " postings to settle");
    file.malformed()
        .forEach(
            line -> timeline.say("file", "line " + line.line() + " is set aside: " + line.why()));
    file.duplicates()
        .forEach(
            line -> timeline.say("file", "line " + line.line() + " is set aside: " + line.why()));
  }

  private WorkerProcess worker(
      String name, GatewayProcess.Addresses gateway, Path directory, Path csv, String... more)
      throws DemoFailure {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "worker",
                "--name=" + name,
                "--gateway=" + gateway.worker(),
                "--resource=" + RESOURCE,
                "--file=" + csv));
    arguments.addAll(List.of(more));
    WorkerProcess worker =
        WorkerProcess.start(
            name, parts.ownJar(), directory, arguments.toArray(new String[0]), teller(name));
    parts.cleanup().add(worker::end);
    return worker;
  }

  private static Predicate<WorkerReport> is(Kind kind) {
    return report -> report.kind() == kind;
  }

  private static Predicate<WorkerReport> progressOf(int postings) {
    return report -> report.kind() == Kind.PROGRESS && report.number("done") >= postings;
  }

  /** Puts a worker's reports into the timeline. */
  private Consumer<WorkerReport> teller(String name) {
    return report -> {
      switch (report.kind()) {
        case ASKING -> timeline.say(name, "asks for " + RESOURCE);
        case WAITING -> timeline.say(name, "still waits: " + report.fact("code"));
        case HELD ->
            timeline.say(name, "holds " + RESOURCE + " with token " + report.fact("token"));
        case PROGRESS -> tellProgress(name, report);
        case UNKNOWN ->
            timeline.say(name, report.fact("posting") + ": outcome unknown, " + report.fact("why"));
        case NOT_SENT ->
            timeline.say(
                name, report.fact("posting") + ": the SDK does not send, " + report.fact("why"));
        case INSISTING ->
            timeline.bad(
                name,
                "sends "
                    + report.fact("posting")
                    + " past the SDK's own check, under a new key, with token "
                    + report.fact("token"));
        case REFUSED ->
            timeline.good(
                "gateway",
                "refuses it: "
                    + report.fact("status")
                    + " "
                    + report.fact("code")
                    + ", "
                    + report.fact("detail"));
        case LET_THROUGH -> timeline.bad("gateway", "LETS IT THROUGH: " + report.fact("posting"));
        case DONE -> tellEnd(name, report);
        case FAILED -> timeline.bad(name, "gives up: " + report.fact("why"));
      }
    };
  }

  private void tellProgress(String name, WorkerReport report) {
    if (report.number("done") % TELL_EVERY == 0) {
      timeline.say(
          name,
          String.format(
              "%s of %s: %s posted, %s were posted before",
              report.fact("done"),
              report.fact("of"),
              report.fact("applied"),
              report.fact("replayed")));
    }
  }

  private void tellEnd(String name, WorkerReport report) {
    if (report.fact("complete").equals("true")) {
      timeline.good(name, "has finished the file and gives the lock back");
    } else {
      timeline.say(name, "ends; it had posted " + report.fact("applied"));
    }
  }
}
