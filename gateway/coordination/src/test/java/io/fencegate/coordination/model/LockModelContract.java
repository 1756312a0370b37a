/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import io.fencegate.coordination.embedded.TestClocks;
import io.fencegate.coordination.seeded.SeededSequences;
import io.fencegate.coordination.store.CoordinationStore;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random calls on two gateways that crash, over wires that lose replies and deliver late, while
 * time passes and generations are raised, against a plain oracle. A failure is told as a seed and
 * the few steps that it takes.
 */
abstract class LockModelContract {

  private static final Duration TIME =
      Boolean.getBoolean("fencegate.full") ? Duration.ofMinutes(10) : Duration.ofSeconds(30);

  /** Also where the machine is busy. */
  private static final int LEAST_STEPS = 1_000;

  private final TestClocks clocks = new TestClocks();
  private final AtomicInteger worlds = new AtomicInteger();
  private Vertx vertx;
  private CoordinationStore store;

  /** Opens the store; it is closed after the test. */
  abstract CoordinationStore open(Vertx vertx, TestClocks clocks);

  /** The clocks were put forward: lets everything run out that has. */
  abstract void timePassed();

  /** By how much the store may let something live too long. */
  abstract Duration lateness();

  @BeforeEach
  void openStore() {
    vertx = Vertx.vertx();
    store = open(vertx, clocks);
  }

  @AfterEach
  void closeStore() {
    try {
      World.await(store.close());
    } finally {
      World.await(vertx.close());
    }
  }

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void everyCallIsAnsweredByItsTrueEffectWhateverHappensToWiresGatewaysAndTime() {
    SeededSequences<Step> sequences =
        new SeededSequences<>(Script::draw, this::play, Step::simpler);
    SeededSequences.Played played = sequences.play(TIME, LEAST_STEPS);
    System.out.println(getClass().getSimpleName() + ": " + played);
  }

  private void play(List<Step> steps) {
    World.Ground ground = new World.Ground(vertx, store, clocks, this::timePassed, lateness());
    try (World world = new World(ground, "model" + worlds.incrementAndGet())) {
      steps.forEach(world::play);
    }
  }
}
