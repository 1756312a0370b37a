/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import io.fencegate.lab.EtcdCluster;
import io.fencegate.loadtest.history.HistoryChecker;
import io.fencegate.loadtest.history.Operation;
import io.fencegate.loadtest.history.Verdict;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Runs a campaign from the first process to the verdict. */
public final class Campaign {

  /** For calls under way at the end, and a gateway that is just being started. */
  private static final int END_SECONDS = 60;

  private static final long PROGRESS_MILLIS = 5_000;

  private final Plan plan;
  private final Consumer<String> progress;
  private final Recorder recorder = new Recorder();

  private Campaign(Plan plan, Consumer<String> progress) {
    this.plan = plan;
    this.progress = progress;
  }

  /** What was seen and what it means. */
  public record Report(List<Operation> history, Verdict verdict, Path file) {

    /** Calls by kind and answer, a line each. */
    public String table() {
      Map<String, Long> counts =
          history.stream()
              .collect(
                  Collectors.groupingBy(
                      op -> String.format(Locale.ROOT, "%-8s %s", op.kind(), op.answer()),
                      TreeMap::new,
                      Collectors.counting()));
      return counts.entrySet().stream()
          .map(it -> String.format(Locale.ROOT, "%-28s %,8d", it.getKey(), it.getValue()))
          .collect(Collectors.joining("\n"));
    }
  }

  /**
   * Runs a campaign; blocks until it is judged.
   *
   * @param progress told what happens, a line each
   */
  public static Report run(Plan plan, Consumer<String> progress) {
    return new Campaign(plan, progress).run();
  }

  private Report run() {
    try (EtcdCluster cluster = EtcdCluster.start(plan.nodes());
        Wires wires = new Wires(cluster, plan.gateways())) {
      List<CampaignGateway> gateways = new ArrayList<>();
      try {
        for (int i = 0; i < plan.gateways(); i++) {
          Path directory = plan.directory().resolve("gateway" + i).toAbsolutePath();
          gateways.add(
              CampaignGateway.start(
                  plan.serverJar().toAbsolutePath(), directory, wires.endpoints(i)));
        }
        play(new Trouble.Targets(cluster, gateways, wires));
      } finally {
        gateways.forEach(CampaignGateway::close);
      }
    }
    Path file = plan.directory().resolve("history.jsonl");
    recorder.write(file);
    List<Operation> history = recorder.history();
    progress.accept("looking for an order that explains " + history.size() + " calls");
    return new Report(history, HistoryChecker.check(history), file);
  }

  private void play(Trouble.Targets targets) {
    long endNanos = System.nanoTime() + plan.duration().toNanos();
    BooleanSupplier goesOn =
        () -> System.nanoTime() - endNanos < 0 && !Thread.currentThread().isInterrupted();
    ExecutorService threads = Executors.newFixedThreadPool(plan.clients() + 1);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < plan.clients(); i++) {
        Random random = new Random(plan.seed() * 31 + i);
        running.add(threads.submit(new Client(i, random, targets.gateways(), recorder, goesOn)));
      }
      Random random = new Random(plan.seed());
      running.add(
          threads.submit(
              new Trouble(targets, random, goesOn, what -> progress.accept("  fault: " + what))));
      tellProgress(goesOn, running);
      for (Future<?> each : running) {
        each.get(END_SECONDS, TimeUnit.SECONDS);
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new CampaignFailure("the campaign broke down", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CampaignFailure("interrupted", e);
    } finally {
      threads.shutdownNow();
    }
  }

  private void tellProgress(BooleanSupplier goesOn, List<Future<?>> running) {
    long startNanos = System.nanoTime();
    while (goesOn.getAsBoolean() && running.stream().noneMatch(Future::isDone)) {
      Pauses.millis(Math.min(PROGRESS_MILLIS, plan.duration().toMillis()));
      progress.accept(
          TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos)
              + " s: "
              + recorder.history().size()
              + " calls");
    }
  }
}
