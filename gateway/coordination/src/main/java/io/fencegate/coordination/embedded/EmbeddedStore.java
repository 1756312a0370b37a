/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

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
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The store of a gateway that runs alone: no other process, no network. Durable when it answers,
 * also against a power cut as far as the disk honours fsync. It cannot fail over: while its process
 * is down nothing is granted, and the leases wait.
 *
 * <p>When the disk is full, or somebody else holds the file's lock, commits and grants are refused
 * {@code DEFINITE} until that is over, and while a lease waits to run out so is everything else.
 * After any other failure of a commit it is not known what will be found on the disk, so the store
 * closes itself: that group is answered {@code INDEFINITE}, everything after it {@code DEFINITE},
 * watches are lost. Only opening it again tells what is there.
 *
 * <p>Thread-safe; never blocks the caller.
 */
public final class EmbeddedStore implements CoordinationStore {

  /** A day, and the second that a bucket lives longer than its locks. */
  private static final long MAX_TTL_SECONDS = 86_401;

  /** Some megabytes at most for one answer; longer ranges are read in pages. */
  private static final int MAX_RANGE_LIMIT = 10_000;

  /** For the bound on what waits: a request without keys and values. */
  private static final long SMALL_BYTES = 256;

  private final Vertx vertx;
  private final Mailbox mailbox;
  private final StoreWriter writer;
  private final DiskSpace space;
  private final long clusterId;

  private EmbeddedStore(
      Vertx vertx, Mailbox mailbox, StoreWriter writer, DiskSpace space, long clusterId) {
    this.vertx = vertx;
    this.mailbox = mailbox;
    this.writer = writer;
    this.space = space;
    this.clusterId = clusterId;
  }

  /**
   * Opens the store in a directory, which is created if it is missing. Works on a worker thread.
   *
   * @return the store, or {@link EmbeddedStoreException} where the directory is in use by another
   *     store (of this process or another), cannot be written, or holds a file that cannot be
   *     trusted
   */
  public static Future<CoordinationStore> open(Vertx vertx, Path dataDir, Clocks clocks) {
    return vertx.executeBlocking(
        () -> openNow(vertx, dataDir, clocks, Bounds.standard(), UnaryOperator.identity()));
  }

  /** Opens on the calling thread; {@code wrapping} may stand between the store and its disk. */
  static EmbeddedStore openNow(
      Vertx vertx, Path dataDir, Clocks clocks, Bounds bounds, UnaryOperator<Disk> wrapping) {
    DataDirectory.prepare(dataDir);
    NativeLibrary.unpackInto(dataDir);
    DirectoryLock lock = DirectoryLock.take(dataDir);
    NativeLibrary.cleanUp(dataDir);
    try {
      SqliteDisk.Opened opened = SqliteDisk.open(dataDir, bounds.busyMillis());
      Disk disk = wrapping.apply(opened.disk());
      return start(
          vertx,
          opened.stored(),
          new StoreWriter.OpenDirectory(disk, lock, new DiskSpace(dataDir)),
          clocks,
          bounds);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static EmbeddedStore start(
      Vertx vertx,
      StoredState stored,
      StoreWriter.OpenDirectory directory,
      Clocks clocks,
      Bounds bounds) {
    Mailbox mailbox = new Mailbox(bounds);
    History history = new History(bounds, stored.revision(), stored.history());
    StoreWriter writer =
        new StoreWriter(
            mailbox,
            new StoreState(stored, clocks.read()),
            new WatchHub(history, bounds),
            directory,
            clocks);
    Thread thread = new Thread(writer, "fencegate-store");
    thread.setDaemon(true);
    thread.start();
    return new EmbeddedStore(vertx, mailbox, writer, directory.space(), stored.clusterId());
  }

  @Override
  public Future<BatchResult> commit(Batch batch) {
    Optional<String> violation = BatchRules.violation(batch);
    if (violation.isPresent()) {
      return refused("not a batch: " + violation.get());
    }
    return ask(BatchRules.bytes(batch), state -> BatchJudge.commit(state, batch));
  }

  @Override
  public Future<LeaseHandle> grant(long ttlSeconds) {
    if (ttlSeconds < 1 || ttlSeconds > MAX_TTL_SECONDS) {
      return refused("ttl of " + ttlSeconds + " s, expected 1 to " + MAX_TTL_SECONDS);
    }
    return ask(SMALL_BYTES, state -> state.grant(ttlSeconds));
  }

  @Override
  public Future<LeaseTtl> timeToLive(LeaseHandle lease) {
    return ask(SMALL_BYTES, state -> state.timeToLive(lease));
  }

  @Override
  public Future<RangePage> range(KeyRange range, int limit) {
    if (limit < 1 || limit > MAX_RANGE_LIMIT) {
      return refused("limit " + limit + ", expected 1 to " + MAX_RANGE_LIMIT);
    }
    return ask(SMALL_BYTES, state -> state.page(range, limit));
  }

  @Override
  public Watch watch(KeyRange range, long fromRevision, WatchScope scope, WatchListener listener) {
    if (fromRevision < 1) {
      throw new IllegalArgumentException("watch from revision " + fromRevision + ", expected >= 1");
    }
    Subscription subscription =
        new Subscription(range, fromRevision, scope, listener, vertx.getOrCreateContext());
    submit(new WatchOpening(subscription));
    return subscription;
  }

  /** The file is looked at by a worker thread, for it may hang with the disk. */
  @Override
  public Future<StoreHealth> health() {
    if (writer.hasEnded()) {
      return refused(writer.endReason());
    }
    return ask(SMALL_BYTES, unused -> true)
        .otherwise(false)
        .compose(answers -> vertx.executeBlocking(() -> healthNow(answers), false));
  }

  private StoreHealth healthNow(boolean answers) {
    return new StoreHealth(
        OptionalLong.of(clusterId),
        answers,
        List.of(new StoreHealth.Endpoint("embedded", writer.refusal(), answers)),
        space.now(writer.isOutOfSpace()));
  }

  @Override
  public Future<Void> close() {
    mailbox.close();
    return Future.fromCompletionStage(writer.ended(), vertx.getOrCreateContext());
  }

  /** SQLite transactions so far. */
  long diskWrites() {
    return writer.diskWrites();
  }

  private <T> Future<T> ask(long bytes, Function<StoreState, T> question) {
    Request<T> request = new Request<>(bytes, question);
    // Before it can be answered, or the answer would overtake what watches are told before it.
    Future<T> answer = request.future(vertx.getOrCreateContext());
    submit(request);
    return answer;
  }

  private void submit(Work work) {
    Mailbox.Admission admission = mailbox.offer(work);
    if (admission == Mailbox.Admission.FULL) {
      work.failed(definite("the store is overloaded"));
    } else if (admission == Mailbox.Admission.CLOSED) {
      work.failed(definite(writer.endReason()));
    }
  }

  private <T> Future<T> refused(String message) {
    Request<T> request =
        new Request<>(
            0,
            state -> {
              throw definite(message);
            });
    request.failed(definite(message));
    return request.future(vertx.getOrCreateContext());
  }

  private static StoreException definite(String message) {
    return new StoreException(StoreException.Kind.DEFINITE, message);
  }
}
