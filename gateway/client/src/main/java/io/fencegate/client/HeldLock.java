/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.lease.LeaseState;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A lock that was granted to this process, renewed in the background until it is closed or lost.
 * Thread-safe.
 *
 * <p>The SDK stops writing by itself when the authority is in doubt or gone, but that is only
 * courtesy: a process that was paused between its check and its write is refused by the gateway.
 */
public final class HeldLock implements AutoCloseable {

  /** What was granted. The lease id is a secret: it is in no text about this object. */
  record Granted(
      ResourceName resource, FencingToken token, LeaseId leaseId, LeaseKeeper.Grant lease) {

    /** The call that gives this back. */
    Transport.Call release() {
      return leaseCall("/v1/locks/release");
    }

    Transport.Call renewal() {
      return leaseCall("/v1/locks/renew");
    }

    private Transport.Call leaseCall(String path) {
      Json body =
          new Json.Obj(
              Map.of(
                  "resource", new Json.Str(resource.value()),
                  "leaseId", new Json.Str(leaseId.reveal())));
      return new Transport.Call(path, Map.of(), body.write());
    }

    @Override
    public String toString() {
      return resource + " token " + token;
    }
  }

  /** What a lock works with. */
  record Surroundings(
      Transport transport,
      LeaseKeeper.Parts parts,
      ClientTimeouts timeouts,
      Consumer<HeldLock> whenOver) {}

  private final Granted granted;
  private final Surroundings with;
  private final LeaseKeeper keeper;
  private final FencedSender sender;
  private final List<LeaseListener> listeners = new CopyOnWriteArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  private HeldLock(Granted granted, Surroundings with) {
    this.granted = granted;
    this.with = with;
    keeper = new LeaseKeeper(with.parts(), granted.lease(), this::renew, this::changed);
    sender =
        new FencedSender(
            with.transport(),
            keeper,
            with.parts(),
            with.timeouts(),
            Map.of(
                "Fencing-Token",
                granted.token().toString(),
                "Fencing-Lease",
                granted.leaseId().reveal()));
  }

  static HeldLock begin(Granted granted, Surroundings with) {
    HeldLock lock = new HeldLock(granted, with);
    lock.keeper.begin();
    return lock;
  }

  public ResourceName resource() {
    return granted.resource();
  }

  /** The fencing token; higher than every earlier holder's. */
  public FencingToken token() {
    return granted.token();
  }

  /** The TTL that was granted for each renewal. */
  public Duration ttl() {
    return Duration.ofMillis(granted.lease().ttlMillis());
  }

  /**
   * The secret that proves this hold, for a process that writes or renews in this one's place. Its
   * {@code toString} shows a fingerprint only.
   */
  public LeaseId leaseId() {
    return granted.leaseId();
  }

  /** What may be believed of the authority at this moment. */
  public LeaseState state() {
    return keeper.look();
  }

  /** How much confirmed authority is left; nothing unless leading. */
  public Duration remaining() {
    return Duration.ofMillis(keeper.remainingMillis());
  }

  /** Adds a listener for changes from now on. */
  public void addListener(LeaseListener listener) {
    listeners.add(listener);
  }

  /**
   * Writes under this lock's token and waits for the result. Without an Idempotency-Key it is sent
   * once. With one it is sent again, unchanged, while the authority and the write timeout last, but
   * only where no answer came, where the gateway could not be connected to, and where the answer
   * says that a repeat has a chance ({@code retryable}).
   *
   * <p>An answer that the outcome is unknown (504 {@code outcome-unknown}) says that it is not
   * retryable: the gateway has tried to find out already, so it is passed on as {@link
   * WriteResult.Unknown} at once. Writing the same again under the same Idempotency-Key is safe,
   * because the gateway looks the key up first and applies nothing twice; the result may be unknown
   * again.
   *
   * <p>An interrupt ends the waiting: the result is then unknown and the thread's interrupt flag
   * stays set.
   */
  public WriteResult write(Write write) {
    IdempotencyKey key = write.key();
    Verdict verdict =
        sender.send(
            new FencedSender.Errand(
                "/v1/write/" + granted.resource(),
                write.body(),
                key == null ? null : key.value(),
                key != null,
                write.bypassesLocalCheck()));
    if (verdict instanceof Verdict.Yes yes) {
      return applied(yes);
    }
    if (verdict instanceof Verdict.No no) {
      return isProof(no) ? new WriteResult.Refused(no.problem()) : unknown(no);
    }
    return new WriteResult.NotSent(((Verdict.NotSent) verdict).reason());
  }

  private static WriteResult applied(Verdict.Yes yes) {
    FencingToken epoch = Problem.token(yes.document(), "epoch");
    Json results = yes.document().get("results");
    if (!"applied".equals(yes.document().text("outcome"))) {
      return unknown(Verdict.incomplete("outcome"));
    }
    boolean saysThereIsNone = yes.document().get("epoch") instanceof Json.Null;
    return epoch == null && !saysThereIsNone
        ? unknown(Verdict.incomplete("epoch"))
        : new WriteResult.Applied(epoch, results == null ? "[]" : results.write(), yes.replayed());
  }

  private static WriteResult unknown(Verdict.No no) {
    return new WriteResult.Unknown(no.problem());
  }

  private static boolean isProof(Verdict.No no) {
    return no.problem().outcome() == Certainty.REJECTED;
  }

  /**
   * Raises the resource's epoch to this lock's token without writing anything, and waits until no
   * older write can land any more: what to do before reading state that will be acted on.
   */
  public SealResult seal() {
    Verdict verdict =
        sender.send(
            new FencedSender.Errand("/v1/seal/" + granted.resource(), "{}", null, true, false));
    if (verdict instanceof Verdict.Yes yes) {
      FencingToken epoch = Problem.token(yes.document(), "epoch");
      return epoch == null
          ? new SealResult.Unknown(Verdict.incomplete("epoch").problem())
          : new SealResult.Sealed(epoch);
    }
    if (verdict instanceof Verdict.No no) {
      return isProof(no)
          ? new SealResult.Refused(no.problem())
          : new SealResult.Unknown(no.problem());
    }
    return new SealResult.NotSent(((Verdict.NotSent) verdict).reason());
  }

  /**
   * Leaves the lock to somebody else who was told token and {@link #leaseId()}: nothing is renewed,
   * released or written from here on, and the lease runs on until it ends by itself. Idempotent; no
   * effect on a lock that was closed.
   *
   * @return how much of the lease is left at least
   */
  public Duration detach() {
    Duration left = remaining();
    if (closed.compareAndSet(false, true)) {
      keeper.release();
      with.whenOver().accept(this);
    }
    return left;
  }

  /**
   * Gives the lock back: no write goes out from here on, and the gateway is told once. When that
   * message is lost the lease runs out by itself. Idempotent; waits for one answer at most.
   */
  @Override
  public void close() {
    try {
      release().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a transport's future failed", e);
    }
  }

  /** Like {@link #close}, without waiting; the future always gets a value. */
  CompletableFuture<Boolean> release() {
    if (!closed.compareAndSet(false, true)) {
      return CompletableFuture.completedFuture(false);
    }
    keeper.release();
    with.whenOver().accept(this);
    return with.transport()
        .send(granted.release(), with.timeouts().request())
        .thenApply(reply -> Verdict.of(reply) instanceof Verdict.Yes);
  }

  private CompletableFuture<LeaseKeeper.LeaseAnswer> renew(Duration patience) {
    return with.transport()
        .send(granted.renewal(), patience)
        .thenApply(reply -> leaseAnswer(Verdict.of(reply)));
  }

  private LeaseKeeper.LeaseAnswer leaseAnswer(Verdict verdict) {
    if (verdict instanceof Verdict.Yes yes) {
      Long remaining = yes.document().wholeNumber("remainingMs");
      boolean same = granted.token().equals(Problem.token(yes.document(), "fencingToken"));
      return remaining != null && same
          ? new LeaseKeeper.LeaseAnswer.Confirmed(remaining)
          : new LeaseKeeper.LeaseAnswer.Uncertain();
    }
    return verdict instanceof Verdict.No no && no.problem().code().equals("lease-lost")
        ? new LeaseKeeper.LeaseAnswer.NotOwner()
        : new LeaseKeeper.LeaseAnswer.Uncertain();
  }

  private void changed(LeaseState before, LeaseState after) {
    if (after.isLost()) {
      with.whenOver().accept(this);
    }
    listeners.forEach(listener -> listener.leaseChanged(this, before, after));
  }

  /** Resource, token and state; never the lease id. */
  @Override
  public String toString() {
    return granted + " " + keeper.look().getClass().getSimpleName();
  }
}
