/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * Takes several locks one after the other, in one order that is the same for everybody: whoever
 * waits for a lock holds only smaller ones, so nobody waits in a circle (E. W. Dijkstra's resource
 * hierarchy for the dining philosophers).
 */
final class MultiAcquire {

  /** Each is renewed by itself; more are a sign that one lock for all of them is missing. */
  private static final int MAX_LOCKS = 64;

  private final Clocks clocks;
  private final BiFunction<AcquireRequest, List<CompletableFuture<Problem>>, AcquireResult> single;
  private final CompletableFuture<Problem> closing;

  MultiAcquire(
      Clocks clocks,
      BiFunction<AcquireRequest, List<CompletableFuture<Problem>>, AcquireResult> single,
      CompletableFuture<Problem> closing) {
    this.clocks = clocks;
    this.single = single;
    this.closing = closing;
  }

  /**
   * The names in the order in which they are taken. Names are ASCII, so that the order of
   * characters is that of bytes.
   *
   * @throws IllegalArgumentException when there is none, there are too many, or one stands twice
   */
  static List<ResourceName> ordered(List<ResourceName> names) {
    List<ResourceName> sorted = names.stream().sorted().toList();
    if (sorted.isEmpty() || sorted.size() > MAX_LOCKS) {
      throw new IllegalArgumentException(
          sorted.size() + " resources were given, expected 1 to " + MAX_LOCKS);
    }
    for (int i = 1; i < sorted.size(); i++) {
      if (sorted.get(i).equals(sorted.get(i - 1))) {
        throw new IllegalArgumentException(
            "'" + sorted.get(i) + "' was given twice, expected each resource once");
      }
    }
    return sorted;
  }

  AcquireAllResult acquire(List<ResourceName> ordered, AcquireOptions options) {
    long endNanos = clocks.read().monotonicNanos() + options.patience().toNanos();
    CompletableFuture<Problem> lost = new CompletableFuture<>();
    List<HeldLock> held = new ArrayList<>();
    for (ResourceName resource : ordered) {
      AcquireOptions now = withPatienceLeft(options, clocks.read(), endNanos);
      AcquireResult result = single.apply(AcquireRequest.of(resource, now), List.of(closing, lost));
      if (result instanceof AcquireResult.NotHeld notHeld) {
        ResourceName culprit = firstLost(held).map(HeldLock::resource).orElse(resource);
        new HeldLocks(held).close();
        return new AcquireAllResult.NotHeld(culprit, notHeld.problem());
      }
      HeldLock lock = ((AcquireResult.Held) result).lock();
      lock.addListener((which, before, after) -> completeIfLost(lost, which));
      held.add(lock);
    }
    return allOrNothing(held);
  }

  private static void completeIfLost(CompletableFuture<Problem> lost, HeldLock lock) {
    if (lock.state().isLost()) {
      lost.complete(lostMeanwhile(lock));
    }
  }

  private static AcquireAllResult allOrNothing(List<HeldLock> held) {
    HeldLocks locks = new HeldLocks(held);
    Optional<HeldLock> lost = firstLost(held);
    if (lost.isEmpty()) {
      return new AcquireAllResult.Held(locks);
    }
    locks.close();
    return new AcquireAllResult.NotHeld(lost.get().resource(), lostMeanwhile(lost.get()));
  }

  private static Optional<HeldLock> firstLost(List<HeldLock> held) {
    return held.stream().filter(lock -> lock.state().isLost()).findFirst();
  }

  private static Problem lostMeanwhile(HeldLock lock) {
    return Problem.ofOwn(
        "lease-lost",
        "the lease of " + lock.resource() + " was lost while others were waited for",
        Certainty.REJECTED,
        true);
  }

  private static AcquireOptions withPatienceLeft(
      AcquireOptions options, ClockReading now, long endNanos) {
    Duration left = Duration.ofMillis(now.millisUntil(endNanos));
    return new AcquireOptions(
        options.holder(), options.ttl(), left, options.waiting(), options.metadataJson());
  }
}
