/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.time.ClockReading;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StoreStateTest {

  private static final KeyRange ALL = KeyRange.under("k/");
  private static final int GROUPS = 300;
  private static final int KEYS = 12;
  private static final int MAX_TTL_SECONDS = 20;

  /** Near the end of the clock's numbers, so that deadlines wrap around. */
  private static final long START_NANOS = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(60);

  static LongStream seeds() {
    return LongStream.range(0, 20);
  }

  /** Two states get the same groups; one of them also gets groups that are undone. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void anUndoneGroupLeavesNoTrace(long seed) {
    Random random = new Random(seed);
    StoreState plain = fresh();
    StoreState disturbed = fresh();
    long nowNanos = START_NANOS;
    for (int group = 0; group < GROUPS; group++) {
      nowNanos += TimeUnit.SECONDS.toNanos(random.nextInt(3));
      long undone = random.nextLong();
      begin(disturbed, nowNanos);
      change(disturbed, new Random(undone));
      disturbed.undo();
      long kept = random.nextLong();
      begin(plain, nowNanos);
      begin(disturbed, nowNanos);
      change(plain, new Random(kept));
      change(disturbed, new Random(kept));
      assertThat(disturbed.changes()).isEqualTo(plain.changes());
      assertThat(disturbed.page(ALL, KEYS)).isEqualTo(plain.page(ALL, KEYS));
      assertThat(disturbed.soonestDeadlineNanos()).isEqualTo(plain.soonestDeadlineNanos());
      plain.keep();
      disturbed.keep();
    }
    assertThat(plain.revision()).isGreaterThan(GROUPS);
  }

  private static StoreState fresh() {
    StoredState nothing = new StoredState(1, 0, 1, List.of(), List.of(), List.of());
    return new StoreState(nothing, new ClockReading(START_NANOS, 0));
  }

  private static void begin(StoreState state, long nowNanos) {
    state.begin(new ClockReading(nowNanos, 0));
  }

  private static void change(StoreState state, Random random) {
    LeaseHandle lease = state.grant(1 + random.nextInt(MAX_TTL_SECONDS));
    for (int transaction = 0; transaction < 3; transaction++) {
      int first = random.nextInt(KEYS);
      for (int i = 0; i < 3; i++) {
        Key key = new Key("k/" + (first + i) % KEYS);
        if (random.nextInt(3) == 0) {
          state.delete(key);
        } else {
          LeaseHandle chosen = random.nextBoolean() ? lease : LeaseHandle.NONE;
          state.put(key, Value.ofLong(random.nextLong()), chosen);
        }
      }
      state.seal();
    }
  }
}
