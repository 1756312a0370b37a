/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Member;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WaitingRoomTest {

  private static final long NOW = 1_000_000_000_000L;

  private final WaitingRoom room = new WaitingRoom();
  private long arrivals;

  private record Named(ResourceName resource, OptionalLong expiresNanos) implements Transaction {
    @Override
    public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
      throw new AssertionError("nothing is sent here");
    }
  }

  private Pending other(String resource) {
    return add(resource, OptionalLong.empty());
  }

  private Pending renewal(String resource, Duration left) {
    return add(resource, OptionalLong.of(NOW + left.toNanos()));
  }

  private Pending add(String resource, OptionalLong expiresNanos) {
    Pending pending =
        new Pending(new Named(ResourceName.parse(resource).orThrow(), expiresNanos), arrivals++);
    room.add(pending);
    return pending;
  }

  private List<Pending> take(int most) {
    return room.take(most, NOW);
  }

  @Test
  void whatRunsOutFirstIsRenewedFirst() {
    Pending late = renewal("a", Duration.ofSeconds(20));
    Pending soon = renewal("b", Duration.ofSeconds(1));
    Pending middle = renewal("c", Duration.ofSeconds(10));
    assertThat(take(2)).containsExactly(soon, middle);
    assertThat(take(2)).containsExactly(late);
  }

  @Test
  void allOthersLeaveAsTheyCame() {
    List<Pending> added = List.of(other("a"), other("b"), other("c"));
    assertThat(take(2)).isEqualTo(added.subList(0, 2));
    assertThat(take(2)).isEqualTo(added.subList(2, 3));
  }

  @Test
  void whileBothWaitEachHasHalfOfABatch() {
    for (int i = 0; i < 20; i++) {
      renewal("r" + i, Duration.ofSeconds(20));
      other("o" + i);
    }
    assertThat(take(10)).filteredOn(Pending::isRenewal).hasSize(5);
    assertThat(take(10)).hasSize(10);
  }

  @Test
  void aHalfThatIsNotNeededIsTheOthers() {
    renewal("r", Duration.ofSeconds(20));
    for (int i = 0; i < 20; i++) {
      other("o" + i);
    }
    assertThat(take(10)).hasSize(10).filteredOn(Pending::isRenewal).hasSize(1);
    for (int i = 0; i < 20; i++) {
      renewal("s" + i, Duration.ofSeconds(20));
    }
    assertThat(take(18)).filteredOn(Pending::isRenewal).hasSize(9);
    assertThat(take(18)).hasSize(13).filteredOn(Pending::isRenewal).hasSize(11);
  }

  @Test
  void lateRenewalsTakeMoreButNeverAll() {
    for (int i = 0; i < 100; i++) {
      renewal("r" + i, Duration.ofMillis(500));
      other("o" + i);
    }
    assertThat(take(20)).hasSize(20).filteredOn(Pending::isRenewal).hasSize(18);
  }

  @Test
  void aResourceThatManyAskForHoldsUpNobodyAndComesOncePerBatch() {
    List<Pending> hot = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      hot.add(other("hot"));
    }
    Pending cold = other("cold");
    assertThat(room.waitingFor(hot.get(0).transaction().resource())).isEqualTo(1_000);
    assertThat(take(100)).containsExactly(hot.get(0), cold);
    assertThat(take(100)).containsExactly(hot.get(1));
    assertThat(room.size()).isEqualTo(998);
  }

  @Test
  void whatIsPutBackLeavesFirst() {
    Pending first = other("a");
    Pending second = other("b");
    other("c");
    List<Pending> taken = take(2);
    room.putBack(taken);
    assertThat(take(2)).containsExactly(first, second);
  }

  @Test
  void nothingIsLostOrTakenTwiceHoweverItIsMixed() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Set<Pending> inside = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      String resource = "r" + random.nextInt(30);
      switch (random.nextInt(5)) {
        case 0, 1 -> inside.add(other(resource));
        case 2 -> inside.add(renewal(resource, Duration.ofMillis(random.nextInt(30_000))));
        case 3 -> {
          List<Pending> taken = take(1 + random.nextInt(8));
          assertThat(inside).as("seed %d step %d", seed, i).containsAll(taken);
          assertThat(taken.stream().map(it -> it.transaction().resource()))
              .as("seed %d step %d", seed, i)
              .doesNotHaveDuplicates();
          if (random.nextBoolean()) {
            room.putBack(taken);
          } else {
            taken.forEach(inside::remove);
          }
        }
        default -> {
          if (!inside.isEmpty()) {
            Pending gone = inside.iterator().next();
            assertThat(room.remove(gone)).as("seed %d step %d", seed, i).isTrue();
            assertThat(room.remove(gone)).as("seed %d step %d", seed, i).isFalse();
            inside.remove(gone);
          }
        }
      }
      assertThat(room.size()).as("seed %d step %d", seed, i).isEqualTo(inside.size());
    }
    Set<Pending> drained = new HashSet<>();
    while (!room.isEmpty()) {
      drained.addAll(take(10));
    }
    assertThat(drained).as("seed %d", seed).isEqualTo(inside);
  }
}
