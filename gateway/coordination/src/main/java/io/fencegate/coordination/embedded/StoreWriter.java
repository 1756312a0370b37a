/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that reads and changes the store. In turns: take what waits, let leases run out,
 * judge everything in memory, make the changes durable in one SQLite transaction, tell watches,
 * then answer. Nobody learns of anything that is not durable.
 *
 * <p>When the disk refuses, memory is set back to what the disk holds. When it cannot be known what
 * the disk holds, the store closes itself for good; the file tells the truth when it is opened
 * again.
 */
final class StoreWriter implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(StoreWriter.class);

  /**
   * The longest sleep. Deadlines are computed on the clock that was handed in, the sleep runs on
   * the JVM's: where the two differ, a lease ends this much late.
   */
  private static final long MAX_IDLE_MILLIS = 250;

  /** After a refusal by the disk, so that an expiry which cannot be written is no busy loop. */
  private static final long MIN_IDLE_AFTER_REFUSAL_MILLIS = 100;

  private final Mailbox mailbox;
  private final StoreState state;
  private final WatchHub watches;
  private final Disk disk;
  private final DirectoryLock directoryLock;
  private final Clocks clocks;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final AtomicLong diskWrites = new AtomicLong();
  private volatile String endReason = "the store is closed";
  private volatile Optional<DiskException> refusal = Optional.empty();

  StoreWriter(
      Mailbox mailbox, StoreState state, WatchHub watches, OpenDirectory directory, Clocks clocks) {
    this.mailbox = mailbox;
    this.state = state;
    this.watches = watches;
    this.disk = directory.disk();
    this.directoryLock = directory.lock();
    this.clocks = clocks;
  }

  /** What the writer closes when it ends. */
  record OpenDirectory(Disk disk, DirectoryLock lock, DiskSpace space) {}

  /** Completes when the thread has ended and the directory is free. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  /** Why nothing more is accepted, once that is so. */
  String endReason() {
    return endReason;
  }

  boolean hasEnded() {
    return ended.isDone();
  }

  /** Why the disk takes nothing at present, if so. */
  Optional<String> refusal() {
    return refusal.map(Throwable::getMessage);
  }

  boolean isOutOfSpace() {
    return refusal.filter(it -> it.effect() == DiskException.Effect.NO_SPACE).isPresent();
  }

  /** SQLite transactions so far. */
  long diskWrites() {
    return diskWrites.get();
  }

  @Override
  public void run() {
    try {
      Optional<List<Work>> group = mailbox.take(idleMillis());
      while (group.isPresent()) {
        process(group.get());
        group = mailbox.take(idleMillis());
      }
    } catch (InterruptedException e) {
      endReason = "the store's thread was interrupted";
      LOG.error("The embedded store closes itself: its thread was interrupted");
    } catch (DiskException e) {
      endReason = "the store has closed itself: " + e.getMessage();
      LOG.error("The embedded store closes itself, it is not known what was written", e);
    } catch (RuntimeException | Error e) {
      endReason = "the store has closed itself after an unexpected error";
      LOG.error("The embedded store closes itself after an unexpected error", e);
    } finally {
      end();
    }
  }

  private long idleMillis() {
    ClockReading now = clocks.read();
    long untilDeadline =
        state.soonestDeadlineNanos().stream()
            .map(deadline -> now.isBefore(deadline) ? now.millisUntil(deadline) + 1 : 0)
            .findAny()
            .orElse(MAX_IDLE_MILLIS);
    long idle = Math.min(untilDeadline, MAX_IDLE_MILLIS);
    return refusal.isPresent() ? Math.max(idle, MIN_IDLE_AFTER_REFUSAL_MILLIS) : idle;
  }

  private void process(List<Work> group) throws DiskException {
    Changes changes = judged(group);
    try {
      if (!changes.isEmpty()) {
        disk.write(changes, watches.compacted());
        diskWrites.incrementAndGet();
        accepted();
      }
    } catch (DiskException e) {
      refuse(group, e);
      return;
    } catch (RuntimeException | Error e) {
      failAll(group, new StoreException(StoreException.Kind.INDEFINITE, "unexpected error", e));
      throw e;
    }
    state.keep();
    watches.publish(changes.revisions());
    group.forEach(work -> work.settled(watches));
  }

  private void accepted() {
    if (refusal.isPresent()) {
      LOG.info("The embedded store can write again");
    }
    refusal = Optional.empty();
  }

  private Changes judged(List<Work> group) {
    try {
      state.begin(clocks.read());
      group.forEach(work -> work.judge(state));
      return state.changes();
    } catch (RuntimeException | Error e) {
      failAll(group, new StoreException(StoreException.Kind.DEFINITE, "unexpected error", e));
      throw e;
    }
  }

  private void refuse(List<Work> group, DiskException cause) throws DiskException {
    state.undo();
    failAll(group, sorted(cause));
    if (cause.effect() == DiskException.Effect.UNKNOWN) {
      throw cause;
    }
    if (refusal.isEmpty()) {
      LOG.warn("The embedded store cannot write and refuses until it can: {}", cause.getMessage());
    }
    refusal = Optional.of(cause);
  }

  private static StoreException sorted(DiskException cause) {
    StoreException.Kind kind =
        switch (cause.effect()) {
          case NONE -> StoreException.Kind.DEFINITE;
          case NO_SPACE -> StoreException.Kind.NO_SPACE;
          case UNKNOWN -> StoreException.Kind.INDEFINITE;
        };
    return new StoreException(kind, String.valueOf(cause.getMessage()), cause);
  }

  private static void failAll(List<Work> group, StoreException cause) {
    group.forEach(work -> work.failed(cause));
  }

  private void end() {
    failAll(mailbox.closeAndEmpty(), new StoreException(StoreException.Kind.DEFINITE, endReason));
    watches.loseAll(endReason);
    try {
      disk.close();
    } catch (DiskException e) {
      LOG.warn("The embedded store's file was not closed cleanly", e);
    }
    directoryLock.close();
    ended.complete(null);
  }
}
