/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.BatchRules;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.coordination.store.Watch;
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchScope;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * The store of gateways that share an etcd. Opens without it too, and works once a majority of its
 * nodes is there. Thread-safe; never blocks the caller.
 */
public final class EtcdStore implements CoordinationStore {

  /** A day, and the second that a bucket lives longer than its locks. */
  private static final long MAX_TTL_SECONDS = 86_401;

  /** Some megabytes at most for one answer; longer ranges are read in pages. */
  private static final int MAX_RANGE_LIMIT = 10_000;

  /** Health is for people who wait. */
  private static final Duration HEALTH_DEADLINE = Duration.ofMillis(1_500);

  /** Any key does for a read that a majority must confirm; etcd takes no empty one. */
  private static final ByteString QUORUM_KEY = ByteString.copyFromUtf8("fencegate-quorum");

  private final Vertx vertx;
  private final EtcdSettings settings;
  private final EtcdClient client;

  private EtcdStore(Vertx vertx, EtcdSettings settings, EtcdClient client) {
    this.vertx = vertx;
    this.settings = settings;
    this.client = client;
  }

  /**
   * Opens the store; etcd need not be there yet. Fails with {@link StoreException} where the TLS
   * files are no use.
   *
   * @param random gives 0 to 1, for the jitter of waits; called on the store's own thread
   */
  public static Future<CoordinationStore> open(
      Vertx vertx, EtcdSettings settings, Clocks clocks, DoubleSupplier random) {
    return vertx.executeBlocking(
        () -> new EtcdStore(vertx, settings, EtcdClient.open(settings, clocks, random)));
  }

  @Override
  public Future<BatchResult> commit(Batch batch) {
    Optional<String> violation = BatchRules.violation(batch);
    if (violation.isPresent()) {
      return refused("not a batch: " + violation.get());
    }
    TxnRequest request = EtcdTransactions.request(batch);
    return ask(
        new EtcdQuestion<>(
            KVGrpc.getTxnMethod(),
            request,
            TxnResponse::getHeader,
            EtcdTransactions::result,
            EtcdTransactions.effect(request),
            deadline()));
  }

  @Override
  public Future<LeaseHandle> grant(long ttlSeconds) {
    if (ttlSeconds < 1 || ttlSeconds > MAX_TTL_SECONDS) {
      return refused("ttl of " + ttlSeconds + " s, expected 1 to " + MAX_TTL_SECONDS);
    }
    LeaseGrantRequest request = LeaseGrantRequest.newBuilder().setTTL(ttlSeconds).build();
    return ask(
        new EtcdQuestion<>(
            LeaseGrpc.getLeaseGrantMethod(),
            request,
            LeaseGrantResponse::getHeader,
            granted -> new LeaseHandle(granted.getID()),
            Effect.HARMLESS,
            deadline()));
  }

  @Override
  public Future<LeaseTtl> timeToLive(LeaseHandle lease) {
    LeaseTimeToLiveRequest request = LeaseTimeToLiveRequest.newBuilder().setID(lease.id()).build();
    return ask(
        new EtcdQuestion<>(
            LeaseGrpc.getLeaseTimeToLiveMethod(),
            request,
            LeaseTimeToLiveResponse::getHeader,
            EtcdTtl::read,
            Effect.NONE,
            deadline()));
  }

  @Override
  public Future<RangePage> range(KeyRange range, int limit) {
    if (limit < 1 || limit > MAX_RANGE_LIMIT) {
      return refused("limit " + limit + ", expected 1 to " + MAX_RANGE_LIMIT);
    }
    RangeRequest request =
        RangeRequest.newBuilder()
            .setKey(EtcdTransactions.bytes(range.from()))
            .setRangeEnd(EtcdTransactions.bytes(range.to()))
            .setLimit(limit)
            .build();
    return ask(
        new EtcdQuestion<>(
            KVGrpc.getRangeMethod(),
            request,
            RangeResponse::getHeader,
            EtcdStore::page,
            Effect.NONE,
            deadline()));
  }

  private static RangePage page(RangeResponse found) {
    return new RangePage(
        found.getHeader().getRevision(),
        EtcdTransactions.entries(found.getKvsList()),
        found.getMore());
  }

  @Override
  public Watch watch(KeyRange range, long fromRevision, WatchScope scope, WatchListener listener) {
    if (fromRevision < 1) {
      throw new IllegalArgumentException("watch from revision " + fromRevision + ", expected >= 1");
    }
    return client.watch(
        new EtcdWatch.Wish(range, fromRevision, scope),
        new EtcdWatch.Told(listener, vertx.getOrCreateContext()));
  }

  @Override
  public Future<StoreHealth> health() {
    RangeRequest request = RangeRequest.newBuilder().setKey(QUORUM_KEY).setCountOnly(true).build();
    return ask(new EtcdQuestion<>(
            KVGrpc.getRangeMethod(),
            request,
            RangeResponse::getHeader,
            unused -> true,
            Effect.NONE,
            HEALTH_DEADLINE))
        .recover(
            failure ->
                client.isClosed()
                    ? Future.failedFuture(failure)
                    : Future.succeededFuture(EtcdFailures.saysPermissionDenied(failure)))
        .compose(
            quorum ->
                Future.fromCompletionStage(
                    client.health(quorum, settings.quotaBytes()), vertx.getOrCreateContext()));
  }

  @Override
  public Future<Void> close() {
    return Future.fromCompletionStage(client.close(), vertx.getOrCreateContext());
  }

  private Duration deadline() {
    return settings.callDeadline();
  }

  private <T> Future<T> ask(EtcdQuestion<?, ?, T> question) {
    return Future.fromCompletionStage(client.ask(question), vertx.getOrCreateContext());
  }

  private <T> Future<T> refused(String message) {
    return Future.fromCompletionStage(client.refused(message), vertx.getOrCreateContext());
  }
}
