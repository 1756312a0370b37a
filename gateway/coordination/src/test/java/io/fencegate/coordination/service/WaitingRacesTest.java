/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Cancellation;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Ends of waits that meet the release of the lock. In each round exactly one of these is true: the
 * caller has a live lease, or no lock and no entry of its request is left.
 */
class WaitingRacesTest extends CoordinationFixture {

  private static final boolean FULL = Boolean.getBoolean("fencegate.full");
  private static final int ROUNDS = FULL ? 500 : 60;
  private static final int WAKE_UPS = FULL ? 1_000 : 100;

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  /** Runs a task on the party's context after so many microseconds. */
  private void later(Party party, long micros, Runnable task) {
    Promise<Long> due = Promise.promise();
    party
        .context()
        .runOnContext(
            unused -> {
              long until = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
              spin(party, until, due);
            });
    due.future().onSuccess(unused -> party.context().runOnContext(ignored -> task.run()));
  }

  /** Turns of the event loop are finer than its timers. */
  private static void spin(Party party, long untilNanos, Promise<Long> due) {
    if (System.nanoTime() - untilNanos >= 0) {
      due.complete(0L);
    } else {
      party.context().runOnContext(unused -> spin(party, untilNanos, due));
    }
  }

  private Future<Object> releaseLater(Party party, Grant grant, long micros) {
    Promise<Object> released = Promise.promise();
    later(
        party,
        micros,
        () ->
            party
                .coordination()
                .locks()
                .release(grant.resource(), grant.leaseId(), deadline())
                .<Object>mapEmpty()
                .onComplete(released));
    return released.future();
  }

  private boolean owns(Grant grant) {
    return read(keys.lock(grant.resource()))
        .map(lock -> LockRecord.decode(lock.value()).proof())
        .equals(Optional.of(grant.leaseId().proof()));
  }

  private void assertExactlyOne(String name, Ruling<Grant> answer, String resource) {
    boolean entry = read(place(resource, "r1")).isPresent();
    boolean lock = read(keys.lock(resource(resource))).isPresent();
    String what = name + " of seed " + seed + ": " + answer + ", lock " + lock;
    assertThat(entry).as(what).isFalse();
    assertThat(lock).as(what).isEqualTo(answer instanceof Ruling.Granted<Grant>);
    answer.fold(
        grant -> {
          assertThat(owns(grant)).as(what).isTrue();
          return true;
        },
        refusal -> true);
  }

  @Test
  void aTimeoutThatMeetsTheReleaseIsEitherAGrantOrNothing() {
    List<Party> parties = List.of(party(), party());
    int granted = 0;
    for (int round = 0; round < ROUNDS; round++) {
      String resource = "t/" + round;
      Party holder = parties.get(round % 2);
      Grant held = granted(holder.acquire(request(resource, "holder"), deadline()));
      Duration wait = Duration.ofMillis(40);
      Waiting waiting =
          parties
              .get(random.nextInt(2))
              .acquire(request(resource, "r1"), patience(wait), deadline());
      Future<Object> released = releaseLater(holder, held, 20_000 + random.nextInt(40_000));
      Ruling<Grant> answer = waiting.answer();
      await(released);
      assertExactlyOne("round " + round, answer, resource);
      granted += answer instanceof Ruling.Granted<Grant> ? 1 : 0;
    }
    assertThat(granted).as("both ends were met").isBetween(1, ROUNDS - 1);
  }

  @Test
  void aCallerWhoLeavesWhenTheLockIsReleasedLeavesNothingBehind() {
    List<Party> parties = List.of(party(), party());
    for (int round = 0; round < ROUNDS; round++) {
      String resource = "d/" + round;
      Party holder = parties.get(round % 2);
      Grant held = granted(holder.acquire(request(resource, "holder"), deadline()));
      Waiting waiting = queued(parties.get(random.nextInt(2)), resource, "r1");
      Future<Object> released = releaseLater(holder, held, random.nextInt(6_000));
      later(waiting.party(), random.nextInt(6_000), waiting.call()::abandon);
      Ruling<Grant> answer = waiting.answer();
      await(released);
      if (answer instanceof Ruling.Refused<Grant>) {
        assertExactlyOne("round " + round, answer, resource);
      }
    }
  }

  @Test
  void aCancelThatMeetsTheGrantTellsWhichCameFirst() {
    List<Party> parties = List.of(party(), party());
    for (int round = 0; round < ROUNDS; round++) {
      String resource = "c/" + round;
      Party holder = parties.get(round % 2);
      Grant held = granted(holder.acquire(request(resource, "holder"), deadline()));
      Waiting waiting = queued(parties.get(random.nextInt(2)), resource, "r1");
      Future<Object> released = releaseLater(holder, held, random.nextInt(6_000));
      Party canceller = parties.get(random.nextInt(2));
      Promise<Ruling<Cancellation>> cancelled = Promise.promise();
      AcquireRequest request = waiting.request();
      later(
          canceller,
          random.nextInt(6_000),
          () ->
              canceller
                  .coordination()
                  .locks()
                  .cancel(request.resource(), request.principal(), request.requestId(), deadline())
                  .onComplete(cancelled));
      Ruling<Grant> answer = waiting.answer();
      await(released);
      Cancellation found = granted(await(cancelled.future()));
      assertExactlyOne("round " + round, answer, resource);
      assertThat(found)
          .as("round %d of seed %d: %s", round, seed, answer)
          .isEqualTo(
              answer instanceof Ruling.Granted<Grant>
                  ? Cancellation.GRANTED
                  : Cancellation.CANCELLED);
    }
  }

  @Test
  void aRepeatThatFindsAGrantKeepsItWhateverTheFirstCallGivesBack() {
    List<Party> parties = List.of(party(), party());
    for (int round = 0; round < ROUNDS; round++) {
      String resource = "g/" + round;
      Grant held = granted(parties.get(0).acquire(request(resource, "holder"), deadline()));
      Waiting first = queued(parties.get(0), resource, "r1");
      Future<Object> released = releaseLater(parties.get(0), held, random.nextInt(4_000));
      later(parties.get(0), random.nextInt(6_000), first.call()::abandon);
      Party other = parties.get(1);
      Promise<Ruling<Grant>> repeated = Promise.promise();
      later(
          other,
          random.nextInt(8_000),
          () ->
              other
                  .coordination()
                  .locks()
                  .acquire(request(resource, "r1"), patience(Duration.ofSeconds(10)), deadline())
                  .answer()
                  .onComplete(repeated));
      Grant again = granted(await(repeated.future()));
      Ruling<Grant> answer = first.answer();
      await(released);
      assertThat(owns(again))
          .as("round %d of seed %d: first %s, repeat %s", round, seed, answer, again)
          .isEqualTo(again.remainingMillis() > 0);
      assertThat(read(place(resource, "r1"))).isEmpty();
    }
  }

  @Test
  void noReleaseIsMissedHoweverLateTheWatchTellsIt() {
    Party holder = party();
    Party waiter = party();
    store.delayWatches(() -> (long) random.nextInt(50));
    for (int round = 0; round < WAKE_UPS; round++) {
      String resource = "w/" + round % 7;
      String requestId = "round" + round;
      Grant held = granted(holder.acquire(request(resource, "holder" + round), deadline()));
      Waiting waiting =
          waiter.acquire(
              request(resource, requestId), patience(Duration.ofSeconds(20)), deadline());
      Promise<Long> releasedAt = Promise.promise();
      releaseLater(holder, held, random.nextInt(20_000))
          .onSuccess(unused -> releasedAt.complete(System.nanoTime()));
      if (random.nextInt(5) == 0) {
        later(waiter, random.nextInt(20_000), store::loseWatches);
      }
      Grant grant = granted(waiting.answer());
      long tookNanos = System.nanoTime() - await(releasedAt.future());
      assertThat(Duration.ofNanos(tookNanos))
          .as("round %d of seed %d", round, seed)
          .isLessThan(Duration.ofSeconds(1));
      release(waiter, grant);
    }
  }
}
