/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import io.fencegate.loadtest.history.Operation.Answer;
import io.fencegate.loadtest.history.Operation.Kind;
import io.fencegate.loadtest.history.Operation.Result;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * One caller: takes a lock, renews it for a while, releases it or forgets it, and tries old leases
 * now and then. An acquire without an answer is repeated under its request, also through another
 * gateway; a release without one is repeated too.
 */
final class Client implements Runnable {

  private static final int MAX_OLD_LEASES = 6;
  private static final int[] TTLS_MILLIS = {2_000, 2_000, 3_000};

  private record Lease(int resource, String id) {}

  private record Wish(int resource, String request, int ttlMillis, boolean inDoubt) {}

  private final int number;
  private final Random random;
  private final List<CampaignGateway> gateways;
  private final Recorder recorder;
  private final BooleanSupplier goesOn;
  private final LockCalls calls = new LockCalls();
  private final Deque<Lease> old = new ArrayDeque<>();
  private Optional<Lease> held = Optional.empty();
  private Optional<Wish> wish = Optional.empty();
  private int requests;

  Client(
      int number,
      Random random,
      List<CampaignGateway> gateways,
      Recorder recorder,
      BooleanSupplier goesOn) {
    this.number = number;
    this.random = random;
    this.gateways = gateways;
    this.recorder = recorder;
    this.goesOn = goesOn;
  }

  @Override
  public void run() {
    while (goesOn.getAsBoolean()) {
      step();
      Pauses.millis(random.nextInt(10));
    }
  }

  private void step() {
    int dice = random.nextInt(100);
    if (dice < 8) {
      show(random.nextInt(Plan.RESOURCES));
    } else if (dice < 14 && !old.isEmpty()) {
      tryOldLease();
    } else if (held.isPresent()) {
      hold(held.get());
    } else {
      acquire();
    }
  }

  private Result call(Kind kind, int resource, String request, String lease, int ttl, long wait) {
    Recorder.Asked asked =
        new Recorder.Asked(number, Plan.resource(resource), kind, request, lease);
    CampaignGateway gateway = gateways.get(random.nextInt(gateways.size()));
    long invokeNanos = System.nanoTime();
    Result result = calls.make(asked, gateway.worker(), ttl, wait);
    recorder.add(asked, result, invokeNanos, System.nanoTime());
    return result;
  }

  private void show(int resource) {
    call(Kind.SHOW, resource, "", "", 0, 0);
  }

  private void tryOldLease() {
    Lease lease = old.peekFirst();
    old.addLast(old.removeFirst());
    Kind kind = random.nextBoolean() ? Kind.RENEW : Kind.RELEASE;
    call(kind, lease.resource(), "", lease.id(), 0, 0);
  }

  private void hold(Lease lease) {
    int dice = random.nextInt(100);
    if (dice < 55) {
      Result result = call(Kind.RENEW, lease.resource(), "", lease.id(), 0, 0);
      if (result.answer() == Answer.LOST) {
        forget(lease);
      }
    } else if (dice < 92) {
      Result result = call(Kind.RELEASE, lease.resource(), "", lease.id(), 0, 0);
      if (result.answer() != Answer.UNKNOWN && result.answer() != Answer.NOT_DONE) {
        forget(lease);
      }
    } else {
      forget(lease);
    }
  }

  private void forget(Lease lease) {
    held = Optional.empty();
    old.addFirst(lease);
    if (old.size() > MAX_OLD_LEASES) {
      old.removeLast();
    }
  }

  private void acquire() {
    Wish now = wish.orElseGet(this::newWish);
    boolean waits = Plan.isQueued(now.resource()) && random.nextInt(100) < 70;
    long waitMillis = waits ? 200 + random.nextInt(1_500) : 0;
    Result result =
        call(
            waits ? Kind.WAIT : Kind.ACQUIRE,
            now.resource(),
            now.request(),
            "",
            now.ttlMillis(),
            waitMillis);
    switch (result.answer()) {
      case GRANTED -> granted(now, result);
      case UNKNOWN ->
          wish = Optional.of(new Wish(now.resource(), now.request(), now.ttlMillis(), true));
      // What is in doubt stays the same acquire, so that its result is found.
      default -> wish = now.inDoubt() ? Optional.of(now) : Optional.empty();
    }
  }

  private void granted(Wish now, Result result) {
    wish = Optional.empty();
    Lease lease = new Lease(now.resource(), result.lease());
    if (result.remainingMillis() > 0) {
      held = Optional.of(lease);
    }
    if (random.nextInt(10) == 0) {
      call(Kind.ACQUIRE, now.resource(), now.request(), "", now.ttlMillis(), 0);
    }
  }

  private Wish newWish() {
    int ttlMillis = TTLS_MILLIS[random.nextInt(TTLS_MILLIS.length)];
    return new Wish(
        random.nextInt(Plan.RESOURCES), "c" + number + "-" + requests++, ttlMillis, false);
  }
}
