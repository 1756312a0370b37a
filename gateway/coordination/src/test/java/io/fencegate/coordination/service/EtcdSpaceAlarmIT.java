/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static io.fencegate.coordination.service.CoordinationFixture.await;
import static io.fencegate.coordination.service.CoordinationFixture.granted;
import static io.fencegate.coordination.service.CoordinationFixture.refused;
import static io.fencegate.coordination.service.CoordinationFixture.request;
import static io.fencegate.coordination.service.CoordinationFixture.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.coordination.etcd.EtcdStore;
import io.fencegate.coordination.health.SpaceLevel;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdOptions;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real etcd that has run full, for longer than a session lives. */
class EtcdSpaceAlarmIT {

  private static final long QUOTA_BYTES = 1 << 20;
  private static final int VALUE_BYTES = 16 << 10;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LONG_TTL = Duration.ofMinutes(5);

  @TempDir Path folder;

  private final Clocks clocks =
      () -> new ClockReading(System.nanoTime(), System.currentTimeMillis());
  private final Keyspace keys = new Keyspace(TestParty.PREFIX);
  private Vertx vertx;
  private EtcdCluster cluster;
  private CoordinationStore store;
  private TestParty party;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    cluster = EtcdCluster.start(EtcdOptions.ofNodes(1).withQuotaBytes(QUOTA_BYTES));
    store =
        await(
            EtcdStore.open(
                vertx,
                EtcdSettings.of(cluster.endpoints()).withQuotaBytes(QUOTA_BYTES),
                clocks,
                () -> ThreadLocalRandom.current().nextDouble()));
    party = TestParty.open(vertx, store, clocks, folder);
    party.awaitSession();
  }

  @AfterEach
  void close() {
    try {
      party.close();
      await(store.close());
    } finally {
      await(vertx.close());
      cluster.close();
    }
  }

  private static AcquireRequest lasting(String name) {
    AcquireRequest request = request(name, "r-" + name);
    return new AcquireRequest(
        request.resource(),
        request.principal(),
        request.requestId(),
        request.holder(),
        LONG_TTL,
        request.metadataJson(),
        request.dedupRetention());
  }

  private boolean put(int number) {
    Op put =
        new Op.Put(new Key("fill/" + number), Value.of(new byte[VALUE_BYTES]), LeaseHandle.NONE);
    Batch batch =
        new Batch(List.of(), List.of(new Member(List.of(), List.of(put), List.of())), List.of());
    return await(store.commit(batch).map(true).otherwise(false));
  }

  private SpaceLevel space() {
    return party.call(
        () ->
            party.coordination.health().look().map(unused -> party.coordination.health().space()));
  }

  private void fill() {
    int number = 0;
    while (number < 4 * QUOTA_BYTES / VALUE_BYTES && put(number)) {
      number++;
    }
    Awaitility.await().atMost(PATIENCE).until(() -> space() == SpaceLevel.EXHAUSTED);
  }

  @Test
  void releaseWorksAndTheRestIsRefusedForCertainUntilThereIsSpaceAgain() {
    Grant one = granted(party.acquire(lasting("one")));
    Grant two = granted(party.acquire(lasting("two")));
    fill();
    assertThat(granted(party.release(one))).isEqualTo(Release.RELEASED);
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> await(store.range(keys.gateways(), 10)).entries().isEmpty());
    assertThat(granted(party.release(two))).isEqualTo(Release.RELEASED);
    granted(party.show(resource("one")));
    Refusal refusal = refused(party.acquire(lasting("three")));
    assertThat(refusal.code()).isEqualTo(RefusalCode.COORDINATOR_UNAVAILABLE);
    assertThat(refusal.certainty()).isEqualTo(Certainty.REJECTED);
    assertThat(refusal.detail()).contains("out of space");

    // What fills it is no history: without this the first puts raise the alarm again.
    cluster.etcdctl("del", "--prefix", "fill/");
    cluster.compact(await(store.range(keys.locks(), 1)).revision());
    cluster.defragment();
    cluster.etcdctl("alarm", "disarm");
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> party.acquire(lasting("three")) instanceof Ruling.Granted);
    assertThat(party.get(() -> party.coordination.history().trouble())).isEmpty();
  }
}
