/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.store.StoreException.Kind;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What every coordination store promises about leases and watches. */
abstract class LeaseAndWatchContract extends StoreFixture {

  /** A store may make short leases longer: etcd has a least time of about two seconds. */
  private static final Duration SHORT_LEASE_PATIENCE = Duration.ofSeconds(20);

  private static final long SHORT_SECONDS = 2;

  /** Time to move keys away before the end, also on a busy machine. */
  private static final long EDGE_SECONDS = 5;

  private static final long LONG_SECONDS = 600;
  private static final LeaseHandle UNKNOWN = new LeaseHandle(Long.MAX_VALUE - 1);

  // Leases

  @Test
  void leasesDifferAndTellHowLongTheyLive() {
    LeaseHandle first = await(store.grant(LONG_SECONDS));
    LeaseHandle second = await(store.grant(LONG_SECONDS));
    assertThat(first).isNotEqualTo(second).isNotEqualTo(LeaseHandle.NONE);
    assertThat(await(store.timeToLive(first)))
        .isInstanceOfSatisfying(
            LeaseTtl.Alive.class,
            alive ->
                assertThat(alive.remainingSeconds()).isBetween(LONG_SECONDS - 60, LONG_SECONDS));
    assertThat(await(store.timeToLive(UNKNOWN))).isEqualTo(new LeaseTtl.Gone());
  }

  @Test
  void leaseTimesOutOfBoundsAreRefused() {
    assertThat(failure(store.grant(0)).kind()).isEqualTo(Kind.DEFINITE);
    assertThat(failure(store.grant(86_402)).kind()).isEqualTo(Kind.DEFINITE);
    assertThat(await(store.grant(86_401))).isNotEqualTo(LeaseHandle.NONE);
  }

  @Test
  void anUnknownLeaseRefusesTheWholeBatch() {
    run(put("k", "1"));
    assertRefused(
        Kind.LEASE_GONE, batch(always(put("innocent", "1")), always(put("a", "1", UNKNOWN))));
    assertRefused(
        Kind.LEASE_GONE, batch(always(put("innocent", "1")), always(touch("k", UNKNOWN))));
  }

  @Test
  void anUnknownLeaseInTheBranchNotTakenIsFine() {
    commit(when(absent("k"), List.of(put("k", "1")), List.of(put("k", "2", UNKNOWN))));
    assertThat(read("k")).isPresent();
  }

  @Test
  void aLeaseThatRanOutTakesExactlyItsKeysWithIt() {
    LeaseHandle dying = await(store.grant(EDGE_SECONDS));
    LeaseHandle bucket = await(store.grant(LONG_SECONDS));
    run(
        put("dies/1", "1", dying),
        put("dies/2", "1", dying),
        put("free", "1"),
        put("other", "1", bucket),
        put("touched", "1", dying),
        put("rewritten", "1", dying),
        put("freed", "1", dying));
    run(touch("touched", bucket), put("rewritten", "2", bucket), put("freed", "2"));
    run(put("dies/late", "1"));
    run(touch("dies/late", dying));
    awaitGone("dies/1");
    assertThat(snapshot())
        .containsOnlyKeys(
            key("free"), key("freed"), key("other"), key("rewritten"), key("touched"));
    assertThat(await(store.timeToLive(dying))).isEqualTo(new LeaseTtl.Gone());
    assertRefused(Kind.LEASE_GONE, batch(always(put("k", "1", dying))));
  }

  @Test
  void aLeaseLivesAtLeastAsLongAsAskedCountedFromTheRequest() {
    long requestedNanos = System.nanoTime();
    LeaseHandle lease = await(store.grant(SHORT_SECONDS));
    run(put("k", "1", lease));
    awaitGone("k");
    Duration lived = Duration.ofNanos(System.nanoTime() - requestedNanos);
    assertThat(lived).isGreaterThanOrEqualTo(Duration.ofSeconds(SHORT_SECONDS));
  }

  @Test
  void theEndOfALeaseRaisesTheRevision() {
    LeaseHandle lease = await(store.grant(SHORT_SECONDS));
    long before = run(put("k", "1", lease)).revision();
    awaitGone("k");
    assertThat(revision()).isGreaterThan(before);
  }

  private void awaitGone(String name) {
    Awaitility.await().atMost(SHORT_LEASE_PATIENCE).until(() -> read(name).isEmpty());
  }

  // Watches

  @Test
  void aWatchTellsChangesOfItsRangeInOrder() {
    WatchRecorder watch = watch("r/", revision() + 1);
    long first = run(put("r/a", "1"), put("outside", "1")).revision();
    long second = run(put("r/b", "1")).revision();
    LeaseHandle lease = await(store.grant(LONG_SECONDS));
    long third = run(touch("r/a", lease)).revision();
    long fourth = run(delete("r/b")).revision();
    assertThat(watch.awaitEvents(4))
        .containsExactly(
            changed("r/a", first, first, LeaseHandle.NONE),
            changed("r/b", second, second, LeaseHandle.NONE),
            changed("r/a", first, third, lease),
            new WatchEvent.Deleted(key("r/b"), fourth));
  }

  @Test
  void aWatchResumesFromAPastRevision() {
    run(put("r/a", "1"));
    long second = run(put("r/b", "1")).revision();
    long third = run(delete("r/a")).revision();
    WatchRecorder watch = watch("r/", second);
    assertThat(watch.awaitEvents(2))
        .containsExactly(
            changed("r/b", second, second, LeaseHandle.NONE),
            new WatchEvent.Deleted(key("r/a"), third));
    long fourth = run(put("r/a", "1")).revision();
    assertThat(watch.awaitEvents(3))
        .last()
        .isEqualTo(changed("r/a", fourth, fourth, LeaseHandle.NONE));
  }

  @Test
  void aWatchFromTheFutureTellsNothingEarlier() {
    long from = revision() + 3;
    WatchRecorder watch = watch("r/", from);
    run(put("r/a", "1"));
    run(put("r/b", "1"));
    run(put("r/c", "1"));
    assertThat(watch.awaitEvents(1)).containsExactly(changed("r/c", from, from, LeaseHandle.NONE));
  }

  @Test
  void theEndOfALeaseIsTold() {
    LeaseHandle lease = await(store.grant(SHORT_SECONDS));
    long before = run(put("r/a", "1", lease), put("r/b", "1", lease)).revision();
    WatchRecorder watch = watch("r/", before + 1);
    assertThat(watch.awaitEvents(2))
        .allMatch(event -> event instanceof WatchEvent.Deleted)
        .allMatch(event -> event.revision() > before)
        .extracting(WatchEvent::key)
        .containsExactlyInAnyOrder(key("r/a"), key("r/b"));
  }

  @Test
  void aWatchForDeletesIsToldOfNothingElse() {
    LeaseHandle lease = await(store.grant(SHORT_SECONDS));
    long from = revision() + 1;
    WatchRecorder watch = WatchRecorder.open(vertx, store, under("r/"), from, WatchScope.DELETES);
    run(put("r/a", "1"), put("r/b", "1", lease));
    run(put("r/a", "2"), touch("r/b", lease));
    long deleted = run(delete("r/a")).revision();
    assertThat(watch.awaitEvents(2))
        .hasSize(2)
        .allMatch(event -> event instanceof WatchEvent.Deleted)
        .first()
        .isEqualTo(new WatchEvent.Deleted(key("r/a"), deleted));
  }

  @Test
  void healthNamesTheSameDataAfterReopening() {
    StoreHealth before = await(store.health());
    assertThat(before.quorum()).isTrue();
    assertThat(before.clusterId()).isPresent();
    assertThat(before.endpoints()).isNotEmpty().allMatch(e -> e.trouble().isEmpty());
    assertThat(before.space().usedBytes()).isPositive();
    assertThat(before.space().exhausted()).isFalse();
    await(store.close());
    reopen();
    assertThat(await(store.health()).clusterId()).isEqualTo(before.clusterId());
  }

  @Test
  void aClosedWatchIsToldNothingMore() {
    long from = revision() + 1;
    WatchRecorder closed = watch("r/", from);
    WatchRecorder open = watch("r/", from);
    run(put("r/a", "1"));
    closed.awaitEvents(1);
    closed.close();
    run(put("r/b", "1"));
    open.awaitEvents(2);
    assertThat(closed.events()).hasSize(1);
  }

  @Test
  void everyWatchIsToldEverything() {
    long from = revision() + 1;
    WatchRecorder one = watch("r/", from);
    WatchRecorder two = watch("r/", from);
    for (int i = 0; i < 100; i++) {
      run(put("r/" + i % 7, "" + i));
    }
    assertThat(one.awaitEvents(100)).hasSize(100).isEqualTo(two.awaitEvents(100));
  }

  @Test
  void aWatchOnAClosingStoreIsLost() {
    WatchRecorder watch = watch("r/", revision() + 1);
    run(put("r/a", "1"));
    watch.awaitEvents(1);
    await(store.close());
    assertThat(watch.awaitLoss()).isNotBlank();
    reopen();
  }

  private WatchRecorder watch(String prefix, long fromRevision) {
    return WatchRecorder.open(vertx, store, under(prefix), fromRevision);
  }

  private WatchEvent changed(String name, long created, long modified, LeaseHandle lease) {
    return new WatchEvent.Changed(new Entry(key(name), Value.of("1"), created, modified, lease));
  }
}
