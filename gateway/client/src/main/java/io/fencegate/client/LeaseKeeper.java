/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.lease.LeaseCommand;
import io.fencegate.policy.lease.LeaseEvent;
import io.fencegate.policy.lease.LeaseMachine;
import io.fencegate.policy.lease.LeaseState;
import io.fencegate.policy.lease.LeaseStep;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/**
 * Runs one lease: feeds the {@link LeaseMachine} and does what it commands. Thread-safe; every step
 * is under one lock, in which nothing blocks.
 */
final class LeaseKeeper {

  /**
   * Renewals come up to a tenth earlier or later, so that locks taken together are not renewed
   * together for ever. Two tenths of a third of the TTL leave room for a second and third attempt.
   */
  private static final double JITTER = 0.1;

  /** What a keeper works with. */
  record Parts(Clocks clocks, Timers timers, DoubleSupplier zeroToOne) {}

  /** A grant as it was answered, with the time from before the send. */
  record Grant(ClockReading sent, long ttlMillis, long remainingMillis) {}

  private final Object lock = new Object();
  private final Parts parts;
  private final LeaseMachine machine;
  private final Function<Duration, CompletableFuture<LeaseAnswer>> renewal;
  private final BiConsumer<LeaseState, LeaseState> listener;
  private final LeaseStep first;

  private LeaseState state;
  private boolean renewing;
  private Timers.Pending nextRenewal = () -> {};
  private Timers.Pending nextLook = () -> {};

  /** What a renewal was answered, before the time is looked at. */
  sealed interface LeaseAnswer {
    /** The same lease, confirmed. */
    record Confirmed(long remainingMillis) implements LeaseAnswer {}

    /** Not ours any more. */
    record NotOwner() implements LeaseAnswer {}

    /** Anything else. */
    record Uncertain() implements LeaseAnswer {}
  }

  /**
   * A keeper that has not begun.
   *
   * @param renewal sends one renewal with the given patience; its future always gets a value
   * @param listener told of changes, on the timer thread
   */
  LeaseKeeper(
      Parts parts,
      Grant grant,
      Function<Duration, CompletableFuture<LeaseAnswer>> renewal,
      BiConsumer<LeaseState, LeaseState> listener) {
    this.parts = parts;
    this.renewal = renewal;
    this.listener = listener;
    machine = LeaseMachine.forTtl(Duration.ofMillis(grant.ttlMillis()));
    first = machine.granted(grant.sent(), grant.remainingMillis(), parts.clocks().read());
    state = first.state();
  }

  /** Starts renewing; called once, when the listener is ready to be told. */
  void begin() {
    synchronized (lock) {
      first.commands().forEach(this::carryOut);
    }
  }

  /** The state now: the clocks are looked at first. */
  LeaseState look() {
    return step(new LeaseEvent.Looked());
  }

  /** Nothing is renewed from here on. */
  void release() {
    step(new LeaseEvent.Released());
  }

  /** Milliseconds of authority that are left: 0 unless leading. */
  long remainingMillis() {
    synchronized (lock) {
      return look() instanceof LeaseState.Leading leading
          ? parts.clocks().read().millisUntil(leading.deadlineNanos())
          : 0;
    }
  }

  private LeaseState step(LeaseEvent event) {
    synchronized (lock) {
      LeaseStep step = machine.step(state, event, parts.clocks().read());
      state = step.state();
      step.commands().forEach(this::carryOut);
      return state;
    }
  }

  private void carryOut(LeaseCommand command) {
    command.visit(
        change -> parts.timers().after(0, () -> listener.accept(change.before(), change.after())),
        renew -> {
          nextRenewal.cancel();
          nextRenewal = parts.timers().after(jittered(renew.millis()), this::renewNow);
        },
        look -> {
          nextLook.cancel();
          long millis = parts.clocks().read().millisUntil(look.deadlineNanos());
          // One more, because a millisecond too early would see nothing and not look again.
          nextLook = parts.timers().after(millis + 1, this::look);
        },
        () -> {
          nextRenewal.cancel();
          nextLook.cancel();
        });
  }

  private long jittered(long millis) {
    double minusOneToOne = 2 * parts.zeroToOne().getAsDouble() - 1;
    return millis + Math.round(millis * JITTER * minusOneToOne);
  }

  private void renewNow() {
    ClockReading sent;
    synchronized (lock) {
      if (renewing || look().isLost()) {
        return;
      }
      renewing = true;
      sent = parts.clocks().read();
    }
    Duration patience = Duration.ofMillis(machine.renewalPatienceMillis());
    CompletableFuture<Void> unused =
        renewal.apply(patience).thenAccept(answer -> renewed(sent, answer));
  }

  private void renewed(ClockReading sent, LeaseAnswer answer) {
    synchronized (lock) {
      renewing = false;
      if (answer instanceof LeaseAnswer.Confirmed confirmed) {
        step(new LeaseEvent.RenewalConfirmed(sent, confirmed.remainingMillis()));
      } else if (answer instanceof LeaseAnswer.NotOwner) {
        step(new LeaseEvent.RenewalRefused());
      } else {
        step(new LeaseEvent.RenewalUncertain());
      }
    }
  }
}
