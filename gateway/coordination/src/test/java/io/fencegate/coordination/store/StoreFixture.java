/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An open store, keys of its own for every test, and short words for what tests do with it. */
public abstract class StoreFixture {

  private static final long ANSWER_SECONDS = 20;
  private static final int PAGE = 1_000;

  protected Vertx vertx;
  protected CoordinationStore store;
  private final String root = "contract/" + UUID.randomUUID() + "/";
  private final AtomicLong highestAnswered = new AtomicLong();

  /** Opens the store to test; it may hold other keys, and is closed after the test. */
  protected abstract CoordinationStore openStore(Vertx vertx) throws Exception;

  @BeforeEach
  void openFixture() throws Exception {
    vertx = Vertx.vertx();
    store = openStore(vertx);
  }

  @AfterEach
  void entriesAreSoundAndTheStoreCloses() {
    try {
      RangePage page = await(store.range(all(), PAGE));
      assertThat(page.revision()).isGreaterThanOrEqualTo(highestAnswered.get());
      Optional<Key> previous = Optional.empty();
      for (Entry entry : page.entries()) {
        assertThat(entry.createRevision()).isBetween(1L, entry.modRevision());
        assertThat(entry.modRevision()).isLessThanOrEqualTo(page.revision());
        previous.ifPresent(key -> assertThat(key).isLessThan(entry.key()));
        previous = Optional.of(entry.key());
      }
      await(store.close());
    } finally {
      await(vertx.close());
    }
  }

  /** Opens the store again, after it was closed. */
  protected final void reopen() {
    try {
      store = openStore(vertx);
    } catch (Exception e) {
      throw new AssertionError("cannot reopen", e);
    }
  }

  protected final Key key(String name) {
    return new Key(root + name);
  }

  protected final KeyRange under(String prefix) {
    return KeyRange.under(root + prefix);
  }

  protected final KeyRange all() {
    return KeyRange.under(root);
  }

  protected final Op.Put put(String key, String value) {
    return put(key, value, LeaseHandle.NONE);
  }

  protected final Op.Put put(String key, String value, LeaseHandle lease) {
    return new Op.Put(key(key), Value.of(value), lease);
  }

  protected final Op.Touch touch(String key, LeaseHandle lease) {
    return new Op.Touch(key(key), lease);
  }

  protected final Op.Delete delete(String key) {
    return new Op.Delete(key(key));
  }

  protected final Op.Get get(String key) {
    return new Op.Get(key(key));
  }

  protected final Compare absent(String key) {
    return Compare.absent(key(key));
  }

  protected static Member when(Compare compare, List<Op> then, List<Op> otherwise) {
    return new Member(List.of(compare), then, otherwise);
  }

  protected static Member always(Op... then) {
    return new Member(List.of(), List.of(then), List.of());
  }

  protected static Batch batch(Member... members) {
    return new Batch(List.of(), List.of(members), List.of());
  }

  protected final BatchResult.Committed commit(Member... members) {
    BatchResult result = await(store.commit(batch(members)));
    highestAnswered.accumulateAndGet(result.revision(), Math::max);
    return (BatchResult.Committed) result;
  }

  /** Commits one transaction without compares. */
  protected final BatchResult.Committed run(Op... ops) {
    return commit(always(ops));
  }

  protected final boolean holds(Compare compare) {
    return commit(when(compare, List.of(), List.of())).members().get(0).held();
  }

  protected final Optional<Entry> read(String key) {
    return run(get(key)).members().get(0).entry(0);
  }

  protected final Entry present(String key) {
    return read(key).orElseThrow();
  }

  protected final long revision() {
    return run().revision();
  }

  protected final Map<Key, Entry> snapshot() {
    Map<Key, Entry> found = new TreeMap<>();
    await(store.range(all(), PAGE)).entries().forEach(e -> found.put(e.key(), e));
    return found;
  }

  /** The batch is refused with this kind, and nothing of it can be seen. */
  protected final void assertRefused(StoreException.Kind kind, Batch batch) {
    Map<Key, Entry> before = snapshot();
    assertThat(failure(store.commit(batch)).kind()).isEqualTo(kind);
    assertThat(snapshot()).isEqualTo(before);
  }

  protected static StoreException failure(Future<?> future) {
    try {
      Object result = await(future);
      throw new AssertionError("expected a StoreException, got " + result);
    } catch (CompletionException e) {
      assertThat(e.getCause()).isInstanceOf(StoreException.class);
      return (StoreException) e.getCause();
    }
  }

  protected static <T> List<T> awaitAll(List<Future<T>> futures) {
    List<T> results = new ArrayList<>();
    futures.forEach(future -> results.add(await(future)));
    return results;
  }

  protected static <T> T await(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
        .join();
  }
}
