/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Cancellation;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.lock.Renewal;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.outcome.WriteOutcome;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.LeaseId;
import io.fencegate.server.write.ShadowVerdict;
import io.fencegate.server.write.WriteCommand;
import io.fencegate.server.write.WriteObserver;
import io.fencegate.server.write.WriteReport;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns ends of work into metrics and audit lines. Labels come from small fixed sets only:
 * policies, codes, decisions; resources and fingerprints stand in the audit trail. Used from one
 * context.
 */
public final class Observations implements WriteObserver, LockObserver {

  private static final double NANOS_PER_MILLI = 1e6;

  static final Duration[] LATENCY_BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(200),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5)
  };

  private final MeterRegistry registry;
  private final AuditLog audit;
  private final Clocks clocks;
  private final LockMetrics locks;
  private final HotResources hot;
  private final Map<LockCall, Timer> lockCalls = new HashMap<>();
  private final Map<WriteKind, Timer> writes = new HashMap<>();

  /** What one timer of lock calls stands for. */
  private record LockCall(String call, String outcome, String code) {}

  /** What one timer of writes stands for; as many as policies and codes come to. */
  private record WriteKind(PolicyName policy, Guarantee guarantee, String decision, String code) {}

  public Observations(
      MeterRegistry registry, AuditLog audit, Clocks clocks, LockMetrics locks, HotResources hot) {
    this.registry = registry;
    this.audit = audit;
    this.clocks = clocks;
    this.locks = locks;
    this.hot = hot;
  }

  @Override
  public void completed(WriteCommand command, WriteReport report, long tookNanos) {
    hot.called(command.resource());
    String decision = decision(report.outcome());
    String code = report.replay() == null ? code(report.outcome()) : "replayed";
    writes
        .computeIfAbsent(
            new WriteKind(command.policy().name(), command.guarantee(), decision, code),
            this::writeTimer)
        .record(Duration.ofNanos(tookNanos));
    JsonObject line =
        line(command.task().wireName(), command.resource())
            .put("policy", command.policy().name().value())
            .put("principal", command.principal().value())
            .put("fencingToken", token(command))
            .put("leaseFp", leaseFp(command))
            .put("key", command.claim() == null ? null : command.claim().scope().key().value())
            .put("decision", decision)
            .put("code", code)
            .put("status", status(report.outcome()))
            .put("epoch", report.epoch() == null ? null : report.epoch().toString())
            .put("tookMs", tookNanos / NANOS_PER_MILLI);
    if (report.shadow() != null) {
      judgedInShadow(command, report.shadow(), line);
    }
    audit.append(line);
  }

  private Timer writeTimer(WriteKind of) {
    return timer("fencegate.write", "Writes and seals, from their bodies to their outcomes")
        .tags(
            "policy",
            of.policy().value(),
            "guarantee",
            of.guarantee().wireName(),
            "decision",
            of.decision(),
            "code",
            of.code())
        .register(registry);
  }

  /** What enforcing would have said, in the metric and in the write's line of the audit trail. */
  private void judgedInShadow(WriteCommand command, ShadowVerdict verdict, JsonObject line) {
    String decision = verdict.refusal().isPresent() ? "rejected" : "accepted";
    String code = verdict.refusal().map(Observations::name).orElse("ok");
    Counter.builder("fencegate.shadow.writes")
        .description("Writes in shadow by what enforcing would have said of them")
        .tags("policy", command.policy().name().value(), "decision", decision, "code", code)
        .register(registry)
        .increment();
    line.put("shadowDecision", decision).put("shadowCode", code);
    verdict.refusal().ifPresent(refusal -> line.put("shadowDetail", refusal.detail()));
  }

  @Override
  public void reconciled(WriteCommand command, WriteOutcome outcome) {
    audit.append(
        line("write-reconciled", command.resource())
            .put("fencingToken", token(command))
            .put("leaseFp", leaseFp(command))
            .put("key", command.claim() == null ? null : command.claim().scope().key().value())
            .put("decision", decision(outcome)));
  }

  @Override
  public void acquired(
      AcquireRequest request, Duration patience, Ruling<Grant> ruling, long tookNanos) {
    record(
        patience.isZero() ? "acquire" : "acquire-waiting", request.resource(), ruling, tookNanos);
    JsonObject line =
        line("acquire", request.resource())
            .put("principal", request.principal().value())
            .put("holder", request.holder().value())
            .put("code", code(ruling));
    ruling.fold(
        grant -> {
          locks.granted(grant);
          return line.put("fencingToken", grant.token().toString())
              .put("leaseFp", grant.leaseId().proof().fingerprint());
        },
        refusal -> line);
    audit.append(line);
  }

  @Override
  public void renewed(ResourceName resource, Ruling<Renewal> ruling, long tookNanos) {
    record("renew", resource, ruling, tookNanos);
    if (ruling instanceof Ruling.Granted<Renewal> granted) {
      locks.renewed(granted.value());
    } else {
      audit.append(line("renew", resource).put("code", code(ruling)));
    }
  }

  @Override
  public void cancelled(ResourceName resource, Ruling<Cancellation> ruling, long tookNanos) {
    record("cancel", resource, ruling, tookNanos);
    audit.append(
        line("cancel", resource)
            .put(
                "code", ruling.fold(Cancellation::wireName, refusal -> refusal.code().wireName())));
  }

  @Override
  public void released(
      ResourceName resource, LeaseId leaseId, Ruling<Release> ruling, long tookNanos) {
    record("release", resource, ruling, tookNanos);
    if (ruling instanceof Ruling.Granted<Release> granted && granted.value() == Release.RELEASED) {
      locks.released(resource);
    }
    audit.append(
        line("release", resource)
            .put("leaseFp", leaseId.proof().fingerprint())
            .put("code", ruling.fold(Release::wireName, refusal -> refusal.code().wireName())));
  }

  private void record(String call, ResourceName resource, Ruling<?> ruling, long tookNanos) {
    hot.called(resource);
    lockCalls
        .computeIfAbsent(new LockCall(call, outcome(ruling), code(ruling)), this::lockTimer)
        .record(Duration.ofNanos(tookNanos));
  }

  private Timer lockTimer(LockCall of) {
    return timer("fencegate.lock.call", "Lock calls")
        .tags("call", of.call(), "outcome", of.outcome(), "code", of.code())
        .register(registry);
  }

  /** Where the many codes lead: what dashboards and alerts look at. */
  private static String outcome(Ruling<?> ruling) {
    return ruling.fold(
        value -> "success",
        refusal ->
            switch (refusal.code()) {
              case LOCK_HELD, LEASE_LOST, IN_FLIGHT -> "conflict";
              case WAIT_TIMEOUT -> "timeout";
              default -> refusal.certainty() == Certainty.UNKNOWN ? "unknown" : "refused";
            });
  }

  private static Timer.Builder timer(String name, String description) {
    return Timer.builder(name).description(description).serviceLevelObjectives(LATENCY_BUCKETS);
  }

  private JsonObject line(String event, ResourceName resource) {
    return new JsonObject()
        .put("at", Instant.ofEpochMilli(clocks.read().wallMillis()).toString())
        .put("event", event)
        .put("resource", resource.value());
  }

  private static @Nullable String leaseFp(WriteCommand command) {
    WriteHeader shown = command.shown();
    var proof = shown == null ? null : shown.proof();
    return proof == null ? null : proof.fingerprint();
  }

  private static @Nullable String token(WriteCommand command) {
    return command.token() == null ? null : command.token().toString();
  }

  private static String code(Ruling<?> ruling) {
    return ruling.fold(value -> "ok", refusal -> refusal.code().wireName());
  }

  private static String code(WriteOutcome outcome) {
    return outcome.fold(
        applied -> applied.replayed() ? "replayed" : "ok",
        answered -> answered.settled() ? "ok" : "unsettled",
        rejected -> name(rejected.refusal()),
        unknown -> name(unknown.refusal()));
  }

  /** The downstream's own, where it answered itself. */
  private static @Nullable Integer status(WriteOutcome outcome) {
    return outcome instanceof WriteOutcome.Answered answered ? answered.status() : null;
  }

  private static String name(Refusal refusal) {
    return refusal.code().wireName();
  }

  private static String decision(WriteOutcome outcome) {
    return outcome.fold(
        applied -> "accepted",
        answered -> "accepted",
        rejected -> "rejected",
        unknown -> "unknown");
  }
}
