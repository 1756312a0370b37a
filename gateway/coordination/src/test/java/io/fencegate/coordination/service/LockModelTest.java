/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.epoch.Verified;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.lock.Release;
import io.fencegate.coordination.lock.Renewal;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random calls on two gateways over a wire that loses replies and delivers requests late, against a
 * plain oracle. Every call is answered by its true effect: nothing that was in doubt happens twice,
 * or later.
 */
class LockModelTest extends CoordinationFixture {

  private static final int STEPS = Boolean.getBoolean("fencegate.full") ? 20_000 : 1_200;
  private static final int RESOURCES = 3;
  private static final Duration MAX_HOLD = Duration.ofHours(12);

  /** What the oracle knows of one resource. */
  private static final class Model {
    Optional<Grant> holder = Optional.empty();
    long highestToken;
    Optional<FencingToken> epoch = Optional.empty();
    final List<Known> grants = new ArrayList<>();
  }

  private record Known(String requestId, Grant grant) {}

  private final Map<Integer, Model> models = new HashMap<>();
  private final Deque<String> story = new ArrayDeque<>();
  private List<Party> parties = List.of();
  private Random random = new Random();
  private int requests;

  @Test
  void everyCallIsAnsweredByItsTrueEffectWhateverTheWireDoes() {
    long seed = new Random().nextLong();
    random = new Random(seed);
    parties = List.of(party(), party());
    try {
      for (int step = 0; step < STEPS; step++) {
        play(step);
      }
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed + ", last steps " + story, e);
    }
    store.forgetFaults();
    assertThat(models.values()).allMatch(model -> model.highestToken > 0);
  }

  private void play(int step) {
    int r = random.nextInt(RESOURCES);
    Model model = models.computeIfAbsent(r, unused -> new Model());
    int dice = random.nextInt(100);
    breakTheWire();
    if (story.size() > 12) {
      story.removeFirst();
    }
    story.addLast(step + ": resource " + r + " dice " + dice);
    if (dice < 30) {
      acquire(r, model);
    } else if (dice < 45) {
      repeat(r, model);
    } else if (dice < 60) {
      renew(r, model);
    } else if (dice < 80) {
      release(r, model);
    } else if (dice < 95) {
      verify(r, model);
    } else {
      arriveLate();
    }
  }

  private void breakTheWire() {
    int dice = random.nextInt(100);
    if (dice < 12) {
      store.loseReply(batch -> true);
    } else if (dice < 24) {
      store.delay(batch -> true);
    }
  }

  /** What was delayed arrives when its doubt was settled long ago. */
  private void arriveLate() {
    for (Future<BatchResult> late : store.deliverDelayed()) {
      await(late.otherwiseEmpty());
    }
  }

  private Party anyParty() {
    return parties.get(random.nextInt(parties.size()));
  }

  private static ResourceName name(int r) {
    return resource("model/" + r);
  }

  private void acquire(int r, Model model) {
    String requestId = "r" + requests++;
    Ruling<Grant> ruling = anyParty().acquire(request("model/" + r, requestId), deadline());
    if (model.holder.isPresent()) {
      assertThat(refused(ruling).code()).isEqualTo(RefusalCode.LOCK_HELD);
      return;
    }
    Grant grant = granted(ruling);
    assertThat(grant.token().value()).isGreaterThan(model.highestToken);
    assertThat(grant.remainingMillis()).isPositive();
    model.holder = Optional.of(grant);
    model.highestToken = grant.token().value();
    model.grants.add(new Known(requestId, grant));
  }

  private void repeat(int r, Model model) {
    pick(model)
        .ifPresent(
            known -> {
              Grant again =
                  granted(anyParty().acquire(request("model/" + r, known.requestId()), deadline()));
              assertThat(again.leaseId()).isEqualTo(known.grant().leaseId());
              assertThat(again.token()).isEqualTo(known.grant().token());
              assertThat(again.remainingMillis() > 0).isEqualTo(isHolder(model, known));
            });
  }

  private void renew(int r, Model model) {
    pick(model)
        .ifPresent(
            known -> {
              Party party = anyParty();
              Ruling<Renewal> ruling =
                  party.call(
                      () ->
                          party
                              .coordination()
                              .locks()
                              .renew(
                                  name(r),
                                  known.grant().leaseId(),
                                  Optional.empty(),
                                  MAX_HOLD,
                                  deadline()));
              if (isHolder(model, known)) {
                assertThat(granted(ruling).token()).isEqualTo(known.grant().token());
              } else {
                assertThat(refused(ruling).code()).isEqualTo(RefusalCode.LEASE_LOST);
              }
            });
  }

  private void release(int r, Model model) {
    pick(model)
        .ifPresent(
            known -> {
              Party party = anyParty();
              Release released =
                  granted(
                      party.call(
                          () ->
                              party
                                  .coordination()
                                  .locks()
                                  .release(name(r), known.grant().leaseId(), deadline())));
              if (isHolder(model, known)) {
                assertThat(released).isEqualTo(Release.RELEASED);
                model.holder = Optional.empty();
              } else if (model.holder.isPresent()) {
                assertThat(released).isEqualTo(Release.NOT_HELD);
              } else {
                // After a lost reply a free lock counts as released: nothing is held any more.
                assertThat(released).isNotEqualTo(Release.NOT_HELD);
              }
            });
  }

  private void verify(int r, Model model) {
    pick(model)
        .ifPresent(
            known -> {
              Party party = anyParty();
              FencingToken token = known.grant().token();
              Ruling<Verified> ruling =
                  party.call(
                      () ->
                          party
                              .coordination()
                              .epochs()
                              .verifyAndRaise(
                                  name(r),
                                  new WriteHeader(token, known.grant().leaseId().proof()),
                                  true,
                                  model.epoch.orElse(null),
                                  deadline()));
              if (isHolder(model, known)) {
                granted(ruling);
                model.epoch = Optional.of(token);
              } else {
                assertThat(refused(ruling).code())
                    .isIn(RefusalCode.STALE_TOKEN, RefusalCode.LEASE_EXPIRED);
              }
              assertThat(read(keys.epoch(name(r))).map(EpochRecord::raisedIn))
                  .isEqualTo(model.epoch);
            });
  }

  private Optional<Known> pick(Model model) {
    if (model.grants.isEmpty()) {
      return Optional.empty();
    }
    int newest = model.grants.size() - 1;
    int index = random.nextBoolean() ? newest : random.nextInt(model.grants.size());
    return Optional.of(model.grants.get(index));
  }

  private static boolean isHolder(Model model, Known known) {
    return model
        .holder
        .filter(holder -> holder.leaseId().equals(known.grant().leaseId()))
        .isPresent();
  }
}
