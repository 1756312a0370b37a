/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.ReconcileOutcome;
import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.adapter.tck.OnContext;
import io.fencegate.adapter.tck.Permits;
import io.fencegate.adapter.tck.SystemClocks;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An adapter with a context of its own, as one gateway has it. */
final class TestGateway implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Clocks clocks = new SystemClocks();
  private final Permits permits = new Permits(clocks);
  private final OnContext context;
  private final PostgresAdapter adapter;

  TestGateway(Vertx vertx, PostgresSettings settings) {
    this.context = new OnContext(vertx);
    this.adapter =
        new PostgresAdapter(
            settings, new AdapterContext(vertx, clocks), new WriteIds(new SecureRandom()));
  }

  PostgresAdapter adapter() {
    return adapter;
  }

  OnContext context() {
    return context;
  }

  long deadline(Duration patience) {
    return clocks.read().monotonicNanos() + patience.toNanos();
  }

  CompletableFuture<SealOutcome> startSeal(ResourceName resource, long token) {
    Permit permit = permits.mint(resource, new FencingToken(token));
    return context.start(() -> adapter.seal(permit, new Seal(null, deadline(PATIENCE))));
  }

  SealOutcome seal(ResourceName resource, long token) {
    return OnContext.await(startSeal(resource, token));
  }

  void sealed(ResourceName resource, long token) {
    assertThat(seal(resource, token)).isEqualTo(new SealOutcome.Sealed());
  }

  CompletableFuture<ApplyOutcome> start(
      ResourceName resource, long token, WriteContent content, Duration patience) {
    Permit permit = permits.mint(resource, new FencingToken(token));
    return context.start(
        () -> adapter.apply(permit, new FencedWrite(content, null, deadline(patience))));
  }

  CompletableFuture<ApplyOutcome> startKeyed(
      ResourceName resource, long token, WriteContent content, String key) {
    Permit permit = permits.mint(resource, new FencingToken(token));
    KeyClaim claim = new KeyClaim(scope(resource, key), "f", Duration.ofHours(3));
    return context.start(
        () -> adapter.apply(permit, new FencedWrite(content, claim, deadline(PATIENCE))));
  }

  static KeyScope scope(ResourceName resource, String key) {
    return new KeyScope(resource, "caller", new IdempotencyKey(key));
  }

  CompletableFuture<ApplyOutcome> startAppend(
      ResourceName resource, long token, String value, Duration patience) {
    return start(
        resource, token, TestDatabase.append(resource, new FencingToken(token), value), patience);
  }

  ApplyOutcome append(ResourceName resource, long token, String value) {
    return OnContext.await(startAppend(resource, token, value, PATIENCE));
  }

  ApplyOutcome apply(ResourceName resource, long token, WriteContent content) {
    return OnContext.await(start(resource, token, content, PATIENCE));
  }

  ReconcileOutcome reconcile(String writeId) {
    return context.run(() -> adapter.reconcile(writeId, deadline(PATIENCE)));
  }

  Optional<String> unreachable() {
    return context.run(adapter::unreachable);
  }

  static Refusal refusal(ApplyOutcome outcome) {
    assertThat(outcome).isInstanceOf(ApplyOutcome.Rejected.class);
    return ((ApplyOutcome.Rejected) outcome).refusal();
  }

  static Refusal refusal(SealOutcome outcome) {
    assertThat(outcome).isInstanceOf(SealOutcome.Failed.class);
    return ((SealOutcome.Failed) outcome).refusal();
  }

  @Override
  public void close() {
    context.run(adapter::close);
  }
}
