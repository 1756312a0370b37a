/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.example;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.DSYNC;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.OutcomeRecords;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.adapter.spi.ReconcileOutcome;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Appends each write as one line to its resource's file. Used from one context. */
final class LinesAdapter implements ResourceAdapter {

  private final Path folder;
  private final AdapterContext context;
  private final Set<Future<ApplyOutcome>> open = new HashSet<>();

  LinesAdapter(Path folder, AdapterContext context) {
    this.folder = folder;
    this.context = context;
  }

  @Override
  public Offer offer() {
    return LinesAdapterFactory.OFFER;
  }

  /** One call with the text {@code line}. */
  @Override
  public Optional<Refusal> objection(WriteContent content) {
    return content.calls().stream()
        .filter(
            it ->
                content.calls().size() > 1 || !(it.params().get("line") instanceof ParamValue.Text))
        .findFirst()
        .map(
            it ->
                RefusalCode.INVALID_REQUEST
                    .because("expected one call with a text 'line'")
                    .atField(it.field() + ".line"));
  }

  @Override
  public Future<ApplyOutcome> apply(Permit permit, FencedWrite write) {
    long leftMillis = context.clocks().read().millisUntil(write.deadlineNanos());
    if (leftMillis == 0) {
      return Future.succeededFuture(rejected(RefusalCode.DOWNSTREAM_BUSY, "no time was left"));
    }
    Future<ApplyOutcome> outcome =
        context
            .vertx()
            .executeBlocking(() -> append(permit, write), false)
            .timeout(leftMillis, TimeUnit.MILLISECONDS)
            .otherwise(late -> new ApplyOutcome.Unknown("the file took too long", ""));
    open.add(outcome);
    outcome.onComplete(ended -> open.remove(outcome));
    return outcome;
  }

  /** What fails before the first byte is a no; what fails after it is a doubt. */
  private ApplyOutcome append(Permit permit, FencedWrite write) {
    OperationCall call = write.content().calls().get(0);
    String text = call.params().get("line") instanceof ParamValue.Text it ? it.value() : "";
    String line = new JsonObject().put("token", permit.token().toString()).put("line", text) + "\n";
    Path file = folder.resolve(permit.resource().keySegment() + ".log");
    boolean opened = false;
    try (OutputStream out = Files.newOutputStream(file, CREATE, APPEND, DSYNC)) {
      opened = true;
      if (!context.clocks().read().isBefore(write.deadlineNanos())) {
        return rejected(RefusalCode.DOWNSTREAM_BUSY, "the file opened too late");
      }
      out.write(line.getBytes(StandardCharsets.UTF_8));
      return new ApplyOutcome.Applied(
          "[{\"operation\":\"" + call.operation().name() + "\",\"rowCount\":1}]");
    } catch (IOException e) {
      return opened
          ? new ApplyOutcome.Unknown("the file failed: " + e.getMessage(), "")
          : rejected(RefusalCode.DOWNSTREAM_UNAVAILABLE, "the file cannot be opened");
    }
  }

  private static ApplyOutcome rejected(RefusalCode code, String why) {
    return new ApplyOutcome.Rejected(code.because(why + "; nothing was written"));
  }

  /** A file keeps no epoch: the gateway has let everything older end before it asks. */
  @Override
  public Future<SealOutcome> seal(Permit permit, Seal seal) {
    return Future.succeededFuture(new SealOutcome.Sealed());
  }

  @Override
  public Future<ReconcileOutcome> reconcile(String writeId, long deadlineNanos) {
    return Future.succeededFuture(new ReconcileOutcome.StillUnknown("a file cannot be asked"));
  }

  @Override
  public Optional<OutcomeRecords> records() {
    return Optional.empty();
  }

  @Override
  public Future<Optional<String>> unreachable() {
    return context
        .vertx()
        .executeBlocking(
            () ->
                Files.isWritable(folder)
                    ? Optional.empty()
                    : Optional.of(folder + " is not writable"));
  }

  @Override
  public Future<Void> close() {
    return Future.join(List.copyOf(open)).mapEmpty();
  }
}
