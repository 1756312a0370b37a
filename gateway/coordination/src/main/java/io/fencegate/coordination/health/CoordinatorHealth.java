/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.health;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the coordinator every few seconds: who answers, whose data it is, how much room is left.
 * Nothing is decided by it but that another coordinator's data is a lost history. Used from one
 * context.
 */
public final class CoordinatorHealth {

  /** Often enough for people and alerts; no transaction waits for it. */
  static final Duration EVERY = Duration.ofSeconds(5);

  private static final double PERCENT = 100;

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorHealth.class);

  private final Vertx vertx;
  private final CoordinationStore store;
  private final CoordinatorHistory history;
  private Optional<StoreHealth> last = Optional.empty();
  private SpaceLevel space = SpaceLevel.ENOUGH;
  private boolean closed;
  private long timer = -1;

  public CoordinatorHealth(Vertx vertx, CoordinationStore store, CoordinatorHistory history) {
    this.vertx = vertx;
    this.store = store;
    this.history = history;
  }

  /** Looks now, and again some time after each look. */
  public void start() {
    look()
        .onComplete(
            unused -> {
              if (!closed) {
                timer = vertx.setTimer(EVERY.toMillis(), again -> start());
              }
            });
  }

  /** Looks now; what is known stays where nobody answers. */
  public Future<Void> look() {
    return store.health().map(this::seen).otherwiseEmpty().mapEmpty();
  }

  private Optional<StoreHealth> seen(StoreHealth health) {
    last = Optional.of(health);
    health.clusterId().ifPresent(history::clusterIs);
    SpaceLevel next = space.after(health.space());
    if (next != space) {
      tell(next, health.space());
      space = next;
    }
    return last;
  }

  private static void tell(SpaceLevel level, StoreHealth.Space space) {
    switch (level) {
      case ENOUGH -> LOG.info("the coordinator has enough space again: {}", shown(space));
      case SCARCE ->
          LOG.warn(
              "the coordinator is running out of space: {}; make room before it is full, nothing"
                  + " is granted then",
              shown(space));
      case EXHAUSTED ->
          LOG.error("the coordinator is out of space, nothing is granted: {}", shown(space));
    }
  }

  private static String shown(StoreHealth.Space space) {
    return space.limitBytes().isPresent()
        ? String.format(
            Locale.ROOT,
            "%d of %d bytes are used (%.0f %%)",
            space.usedBytes(),
            space.limitBytes().getAsLong(),
            space.usedRatio() * PERCENT)
        : space.usedBytes() + " bytes are used";
  }

  /** The last look; empty before the first one. */
  public Optional<StoreHealth> last() {
    return last;
  }

  /** How full it is, in words. */
  public String spaceShown() {
    return last.map(health -> shown(health.space())).orElse("not known yet");
  }

  public SpaceLevel space() {
    return space;
  }

  public void close() {
    closed = true;
    vertx.cancelTimer(timer);
  }
}
