/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.operator.ClusterAdmin;
import io.fencegate.coordination.operator.PolicySwitch;
import io.fencegate.coordination.slot.Custody;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** Puts what operators did, or tried to, into the audit trail with their reason. */
public final class OperatorAudit implements OperatorObserver {

  private final AuditLog audit;
  private final Clocks clocks;

  public OperatorAudit(AuditLog audit, Clocks clocks) {
    this.audit = audit;
    this.clocks = clocks;
  }

  @Override
  public void broke(ResourceName resource, String reason, Ruling<Optional<FencingToken>> ruling) {
    JsonObject line = line("break", reason, ruling).put("resource", resource.value());
    ruling
        .fold(token -> token, refusal -> Optional.<FencingToken>empty())
        .ifPresent(token -> line.put("fencingToken", token.toString()));
    audit.append(line);
  }

  @Override
  public void epochReset(
      ResourceName resource, String reason, Ruling<Optional<EpochRecord>> ruling) {
    JsonObject line = line("epoch-reset", reason, ruling).put("resource", resource.value());
    ruling
        .fold(forgotten -> forgotten, refusal -> Optional.<EpochRecord>empty())
        .ifPresent(
            record -> line.put("epoch", record.raised().toString()).put("source", record.source()));
    audit.append(line);
  }

  @Override
  public void resolved(String as, String reason, Ruling<Custody.Listed> ruling) {
    JsonObject line = line("resolved", reason, ruling).put("as", as);
    audit.append(
        ruling.fold(
            settled ->
                line.put("resource", settled.resource().value())
                    .put("fencingToken", settled.record().token().toString())
                    .put("id", settled.id()),
            refusal -> line));
  }

  @Override
  public void frozen(FreezeScope scope, String reason, Ruling<Freeze> ruling) {
    JsonObject line = line("freeze", reason, ruling);
    putScope(line, scope);
    audit.append(ruling.fold(freeze -> line.put("id", freeze.id()), refusal -> line));
  }

  @Override
  public void lifted(String id, String reason, Ruling<Freeze> ruling) {
    JsonObject line = line("unfreeze", reason, ruling).put("id", id);
    audit.append(
        ruling.fold(
            freeze -> {
              putScope(line, freeze.scope());
              return line.put("frozenFor", freeze.reason());
            },
            refusal -> line));
  }

  private static void putScope(JsonObject line, FreezeScope scope) {
    line.put("scope", scope.kind().wireName());
    if (!scope.target().isEmpty()) {
      line.put("target", scope.target());
    }
  }

  @Override
  public void switched(PolicyName policy, String reason, Ruling<PolicySwitch.Progress> ruling) {
    JsonObject line = line("policy-switch", reason, ruling).put("policy", policy.value());
    audit.append(
        ruling.fold(
            progress -> line.put("state", progress.state().name().toLowerCase(Locale.ROOT)),
            refusal -> line));
  }

  @Override
  public void generationRaised(String reason, Ruling<ClusterAdmin.Raised> ruling) {
    JsonObject line = line("generation-raised", reason, ruling);
    audit.append(
        ruling.fold(
            raised ->
                line.put("before", raised.before().value()).put("generation", raised.now().value()),
            refusal -> line));
  }

  private JsonObject line(String event, String reason, Ruling<?> ruling) {
    JsonObject line =
        new JsonObject()
            .put("at", Instant.ofEpochMilli(clocks.read().wallMillis()).toString())
            .put("event", event)
            .put("reason", reason);
    return ruling.fold(
        value -> line.put("code", "ok"),
        refusal ->
            line.put("code", refusal.code().wireName())
                .put("outcome", refusal.certainty().wireName()));
  }
}
