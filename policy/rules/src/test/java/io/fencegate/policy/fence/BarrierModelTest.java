/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseId;
import io.fencegate.policy.token.LeaseProof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Random histories of holders, verifications with late answers, writes, withdrawals, clock jumps
 * and forgetting, against a naive oracle that remembers everything. A failing history is shortened
 * before it is shown.
 */
class BarrierModelTest {

  private static final int RUNS = Boolean.getBoolean("fencegate.full") ? 100_000 : 4_000;
  private static final int STEPS = 80;
  private static final long MILLI = 1_000_000L;

  /** What can happen, and how often beside the others. */
  private enum Kind {
    NEW_HOLDER(3),
    ASK(8),
    DELIVER(8),
    ENTER(12),
    CONFIRM(8),
    LEAVE(4),
    WITHDRAW(1),
    WITHDRAW_ALL(1),
    RAISED(1),
    CLOCK_JUMP(1),
    TIME_PASSES(3),
    FORGET(3);

    private final int weight;

    Kind(int weight) {
      this.weight = weight;
    }
  }

  private static final List<Kind> KINDS =
      Stream.of(Kind.values())
          .flatMap(kind -> Collections.nCopies(kind.weight, kind).stream())
          .toList();

  /** A step that means something in every state, so that any part of a history is one. */
  private record Step(Kind kind, int resource, int choice) {}

  private record Answer(
      int resource, long token, long goodUntilNanos, ClockReading askedAt, long jumpedMillis) {}

  @Test
  void noOlderWriteGoesOutBehindANewerOne() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int sent = 0;
    for (int run = 0; run < RUNS; run++) {
      List<Step> history = new ArrayList<>();
      for (int i = 0; i < STEPS; i++) {
        Kind kind = KINDS.get(random.nextInt(KINDS.size()));
        history.add(new Step(kind, random.nextInt(2), random.nextInt(100)));
      }
      World world = new World();
      Optional<String> violation = world.play(history);
      sent += world.sentCount;
      if (violation.isPresent()) {
        List<Step> shortest = shorten(history);
        fail("seed %d: %s after %s", seed, new World().play(shortest).orElse("?"), shortest);
      }
    }
    assertThat(sent).as("writes sent, seed " + seed).isGreaterThan(RUNS / 2);
  }

  private static List<Step> shorten(List<Step> failing) {
    List<Step> shortest = new ArrayList<>(failing);
    boolean shorter = true;
    while (shorter) {
      shorter = false;
      for (int i = shortest.size() - 1; i >= 0; i--) {
        List<Step> candidate = new ArrayList<>(shortest);
        candidate.remove(i);
        if (new World().play(candidate).isPresent()) {
          shortest = candidate;
          shorter = true;
        }
      }
    }
    return shortest;
  }

  /** The coordinator, the clocks, the writers and all that ever happened. */
  private static final class World {
    private final DrainBarrier barrier = new DrainBarrier(Duration.ofMillis(250));
    private final long[] holder = {1, 1};
    private final long[] highestEntered = {0, 0};
    private final long[] highestKnown = {0, 0};
    private final long[] withdrawnMillis = {0, 0};
    private final List<Answer> underWay = new ArrayList<>();
    private final List<Answer> standing = new ArrayList<>();
    private final List<Permit> waiting = new ArrayList<>();
    private final List<Permit> ready = new ArrayList<>();
    private final List<Permit> sent = new ArrayList<>();
    private final Map<Permit, Integer> registered = new HashMap<>();
    private long nowMillis = 1_000;
    private long jumpedMillis;
    private int sentCount;
    private String violation;

    Optional<String> play(List<Step> history) {
      for (Step step : history) {
        play(step);
        for (int i = 0; i < 2 && violation == null; i++) {
          check(barrier.inFlight(name(i)) == count(i), "in flight of " + name(i));
        }
        check(barrier.inFlight() == registered.size(), "in flight");
        if (violation != null) {
          return Optional.of(violation + " at " + step);
        }
      }
      return Optional.empty();
    }

    private void play(Step step) {
      int r = step.resource();
      switch (step.kind()) {
        case NEW_HOLDER -> holder[r]++;
        case ASK ->
            underWay.add(
                new Answer(
                    r,
                    holder[r],
                    now().monotonicNanos() + (1 + step.choice() * 20L) * MILLI,
                    now(),
                    jumpedMillis));
        case DELIVER -> pick(underWay, step).ifPresent(this::deliver);
        case ENTER -> enter(r, Math.max(1, holder[r] - Math.max(0, step.choice() % 4 - 1)));
        case CONFIRM -> pick(ready, step).ifPresent(this::confirm);
        case LEAVE -> pick(List.copyOf(registered.keySet()), step).ifPresent(this::leave);
        case WITHDRAW -> {
          barrier.withdraw(name(r), now());
          withdrawnMillis[r] = nowMillis;
          standing.removeIf(answer -> answer.resource() == r);
        }
        case WITHDRAW_ALL -> {
          barrier.withdrawAll(now());
          Arrays.fill(withdrawnMillis, nowMillis);
          standing.clear();
        }
        case RAISED -> {
          barrier.raised(name(r), new FencingToken(holder[r]));
          know(r, holder[r]);
        }
        case CLOCK_JUMP -> jumpedMillis += step.choice() % 2 == 0 ? 5_000 : -300;
        case TIME_PASSES -> nowMillis += step.choice() * 10L;
        case FORGET -> barrier.forgetIdle(now());
      }
    }

    private void deliver(Answer answer) {
      underWay.remove(answer);
      barrier.verified(
          name(answer.resource()),
          new Verification(
              new FencingToken(answer.token()), proof(answer.token()), answer.goodUntilNanos()),
          answer.askedAt(),
          now());
      if (answer.askedAt().monotonicNanos() > withdrawnMillis[answer.resource()] * MILLI) {
        standing.add(answer);
      }
      know(answer.resource(), answer.token());
    }

    private void know(int resource, long token) {
      highestKnown[resource] = Math.max(highestKnown[resource], token);
    }

    private void enter(int r, long token) {
      WriteHeader header = new WriteHeader(new FencingToken(token), proof(token));
      barrier
          .enter(name(r), header, true, now())
          .fold(
              permit -> {
                check(isCovered(r, token), "entered without a good verification");
                check(token >= highestEntered[r], "entered below what had entered");
                highestEntered[r] = Math.max(highestEntered[r], token);
                registered.put(permit, r);
                waiting.add(permit);
                barrier.whenOlderLeft(permit, () -> proceed(permit));
                return true;
              },
              () -> false,
              refusal -> {
                check(token < highestKnown[r], "refused without a reason");
                return false;
              });
    }

    private void proceed(Permit permit) {
      check(waiting.remove(permit), "proceeded twice");
      ready.add(permit);
    }

    private void confirm(Permit permit) {
      ready.remove(permit);
      Integer r = registered.get(permit);
      // Out of the books before the call: leaving wakes others, which look at them.
      registered.remove(permit);
      boolean out = barrier.confirm(permit, now()) instanceof Entry.Entered;
      if (!out) {
        return;
      }
      check(r != null, "sent after it had left");
      if (r != null) {
        registered.put(permit, r);
        long token = permit.token().value();
        check(isCovered(r, token), "sent without a good verification");
        check(token >= highestEntered[r], "sent behind a newer write");
        check(
            sent.stream()
                .noneMatch(
                    other ->
                        other.resource().equals(permit.resource())
                            && other.token().isBelow(permit.token())),
            "sent while an older write was under way");
        sent.add(permit);
        sentCount++;
      }
    }

    private void leave(Permit permit) {
      registered.remove(permit);
      sent.remove(permit);
      barrier.leave(permit);
      barrier.leave(permit);
    }

    /** Whether anything that was ever answered, and not withdrawn since, lets this token out. */
    private boolean isCovered(int r, long token) {
      return token >= highestKnown[r]
          && standing.stream()
              .anyMatch(
                  answer ->
                      answer.resource() == r
                          && answer.token() == token
                          && now().isBefore(answer.goodUntilNanos())
                          && answer.jumpedMillis() == jumpedMillis);
    }

    private long count(int r) {
      return registered.values().stream().filter(resource -> resource == r).count();
    }

    private void check(boolean holds, String what) {
      if (!holds && violation == null) {
        violation = what;
      }
    }

    private ClockReading now() {
      return new ClockReading(nowMillis * MILLI, nowMillis + jumpedMillis);
    }

    private static <T> Optional<T> pick(List<T> from, Step step) {
      return from.isEmpty() ? Optional.empty() : Optional.of(from.get(step.choice() % from.size()));
    }

    private static ResourceName name(int resource) {
      return new ResourceName("r" + resource);
    }

    private static LeaseProof proof(long token) {
      byte[] secret = new byte[LeaseId.BYTES];
      secret[0] = (byte) token;
      return LeaseId.of(secret).proof();
    }
  }
}
