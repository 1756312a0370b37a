/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.OutcomeRecords;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A downstream, the adapter on it, and the words in which the contract's tests speak. */
abstract class AdapterFixture {

  static final ResourceName RESOURCE = new ResourceName("tck/one");
  static final ResourceName OTHER = new ResourceName("tck/two");
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Duration RETENTION = Duration.ofHours(1);

  private final Clocks clocks = new SystemClocks();
  final Permits permits = new Permits(clocks);
  final WriteHistory history = new WriteHistory();
  private final Vertx vertx = Vertx.vertx();
  final OnContext gateway = new OnContext(vertx);
  private @Nullable ResourceAdapter adapter;

  /** An adapter on a downstream that has never been written to. */
  protected abstract ResourceAdapter fresh(AdapterContext context);

  /** A new adapter on the downstream of the last {@link #fresh}, as after a restart. */
  protected abstract ResourceAdapter reopen(AdapterContext context);

  /** A write that appends {@code value} to the resource's log, and {@code token} beside it. */
  protected abstract WriteContent append(ResourceName resource, FencingToken token, String value);

  /** What {@link #append} has left in the downstream, in the order in which it took effect. */
  protected abstract List<LogEntry> log(ResourceName resource);

  /** Why epochs do not outlive the adapter; empty where they do. */
  protected Optional<String> notDurableBecause() {
    return Optional.empty();
  }

  @BeforeEach
  final void open() {
    AdapterContext context = new AdapterContext(vertx, clocks);
    adapter = gateway.run(() -> Future.succeededFuture(fresh(context)));
  }

  @AfterEach
  final void checkInvariantsAndClose() {
    try {
      List<LogEntry> all = new ArrayList<>();
      for (ResourceName resource : List.of(RESOURCE, OTHER)) {
        List<LogEntry> log = log(resource);
        history.check(log);
        all.addAll(log);
      }
      history.checkComplete(all);
    } finally {
      gateway.run(adapter()::close);
      OnContext.await(vertx.close().toCompletionStage().toCompletableFuture());
    }
  }

  final ResourceAdapter adapter() {
    ResourceAdapter open = adapter;
    if (open == null) {
      throw new AssertionError("the adapter was not opened");
    }
    return open;
  }

  final void restart() {
    replace(this::reopen);
  }

  /** Goes on with another adapter on the same downstream. */
  final void replace(Function<AdapterContext, ResourceAdapter> next) {
    gateway.run(adapter()::close);
    AdapterContext context = new AdapterContext(vertx, clocks);
    adapter = gateway.run(() -> Future.succeededFuture(next.apply(context)));
  }

  final Vertx vertx() {
    return vertx;
  }

  final long nowNanos() {
    return clocks.read().monotonicNanos();
  }

  final long deadline() {
    return clocks.read().monotonicNanos() + DEADLINE.toNanos();
  }

  final SealOutcome seal(long token, @Nullable FencingToken floor) {
    Permit permit = permits.mint(RESOURCE, new FencingToken(token));
    return gateway.run(() -> adapter().seal(permit, new Seal(floor, deadline())));
  }

  final void sealed(long token) {
    assertThat(seal(token, null)).isEqualTo(new SealOutcome.Sealed());
  }

  final ApplyOutcome apply(long token, String value) {
    return write(token, value, null);
  }

  final void applied(long token, String value) {
    assertThat(apply(token, value)).isInstanceOf(ApplyOutcome.Applied.class);
  }

  final ApplyOutcome keyed(long token, String value, String key, String fingerprint) {
    return write(token, value, claim("caller", key, fingerprint));
  }

  final ApplyOutcome write(long token, String value, @Nullable KeyClaim claim) {
    return OnContext.await(start(token, value, claim));
  }

  final ApplyOutcome write(
      long token, String value, WriteContent content, @Nullable KeyClaim claim) {
    return OnContext.await(start(token, value, content, claim));
  }

  final CompletableFuture<ApplyOutcome> start(long token, String value) {
    return start(token, value, null);
  }

  final CompletableFuture<ApplyOutcome> start(long token, String value, @Nullable KeyClaim claim) {
    return start(token, value, append(RESOURCE, new FencingToken(token), value), claim);
  }

  final CompletableFuture<ApplyOutcome> start(
      long token, String value, WriteContent content, @Nullable KeyClaim claim) {
    return send(token, value, new FencedWrite(content, claim, deadline()));
  }

  final CompletableFuture<ApplyOutcome> send(long token, String value, FencedWrite write) {
    Permit permit = permits.mint(RESOURCE, new FencingToken(token));
    return gateway
        .start(() -> adapter().apply(permit, write))
        .thenApply(outcome -> history.note(value, outcome));
  }

  static KeyClaim claim(String caller, String key, String fingerprint) {
    return new KeyClaim(scope(caller, key), fingerprint, RETENTION);
  }

  private static KeyScope scope(String caller, String key) {
    return new KeyScope(RESOURCE, caller, new IdempotencyKey(key));
  }

  private OutcomeRecords records() {
    return adapter().records().orElseThrow();
  }

  final RecordedWrite lookUp(String key) {
    return granted(gateway.run(() -> records().lookUp(scope("caller", key), deadline())));
  }

  final RecordedWrite close(String key) {
    return granted(gateway.run(() -> records().close(scope("caller", key), RETENTION, deadline())));
  }

  private static RecordedWrite granted(Ruling<RecordedWrite> ruling) {
    return ruling.fold(
        found -> found,
        refusal -> {
          throw new AssertionError("the records were not read: " + refusal);
        });
  }

  final List<String> values() {
    return log(RESOURCE).stream().map(LogEntry::value).toList();
  }

  static RefusalCode codeOf(SealOutcome outcome) {
    return ((SealOutcome.Failed) outcome).refusal().code();
  }

  static RefusalCode codeOf(ApplyOutcome outcome) {
    return ((ApplyOutcome.Rejected) outcome).refusal().code();
  }

  static boolean isRejected(ApplyOutcome outcome, RefusalCode code) {
    return outcome instanceof ApplyOutcome.Rejected no && no.refusal().code() == code;
  }
}
