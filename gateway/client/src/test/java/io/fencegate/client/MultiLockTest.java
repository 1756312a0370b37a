/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import static io.fencegate.client.ScriptedTransport.granted;
import static io.fencegate.client.ScriptedTransport.ok;
import static io.fencegate.client.ScriptedTransport.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.client.Transport.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MultiLockTest {

  private static final long TTL = 9_000;
  private static final Reply RELEASED = ok("{\"released\":true}");

  private final ManualTime time = new ManualTime();
  private final ScriptedTransport gateway = new ScriptedTransport(time);
  private final FencegateClient client =
      new FencegateClient(
          gateway, new LeaseKeeper.Parts(time, time, () -> 0.5), ClientTimeouts.DEFAULTS);

  private HeldLocks acquire(String... resources) {
    return ((AcquireAllResult.Held) client.acquireAll(List.of(resources), AcquireOptions.DEFAULTS))
        .locks();
  }

  /** Path and resource of each call. */
  private List<String> calls() {
    return gateway.sent.stream()
        .map(
            sent -> {
              try {
                Json.Obj body = (Json.Obj) JsonReader.read(sent.call().body());
                String path = sent.call().path();
                return path.substring(path.lastIndexOf('/') + 1) + " " + body.text("resource");
              } catch (JsonReader.Malformed e) {
                throw new AssertionError(e);
              }
            })
        .toList();
  }

  @Test
  void theyAreTakenInTheByteOrderOfTheirNamesAndReleasedInReverse() {
    gateway.then(granted("41", TTL), granted("42", TTL), granted("43", TTL));
    HeldLocks locks = acquire("b", "a/c", "B");
    gateway.then(RELEASED, RELEASED, RELEASED);
    locks.close();
    locks.close();

    assertThat(calls())
        .containsExactly(
            "acquire B", "acquire a/c", "acquire b", "release b", "release a/c", "release B");
  }

  @Test
  void eachHasItsOwnToken() {
    gateway.then(granted("41", TTL), granted("42", TTL));
    HeldLocks locks = acquire("b", "a");

    assertThat(locks.lock("a").token()).hasToString("41");
    assertThat(locks.lock("b").token()).hasToString("42");
    assertThat(locks.isHeld()).isTrue();
    assertThat(locks.remaining()).isEqualTo(Duration.ofMillis(TTL - 250));
    assertThatThrownBy(() -> locks.lock("c")).hasMessageContaining("expected one of [a, b]");
    assertThat(locks.toString()).doesNotContain("c2VjcmV0");
  }

  @Test
  void whatCannotBeTakenTogetherIsRefusedBeforeAnythingIsSent() {
    for (List<String> unusable :
        List.of(List.<String>of(), List.of("a", "b", "a"), List.of("a", "../b"))) {
      assertThatThrownBy(() -> client.acquireAll(unusable, AcquireOptions.DEFAULTS))
          .isInstanceOf(IllegalArgumentException.class);
    }
    List<String> many = new ArrayList<>(IntStream.range(0, 65).mapToObj(i -> "r" + i).toList());
    assertThatThrownBy(() -> client.acquireAll(many, AcquireOptions.DEFAULTS))
        .hasMessageContaining("expected 1 to 64");
    assertThatThrownBy(
            () -> client.acquireAll(Collections.nCopies(2, "a"), AcquireOptions.DEFAULTS))
        .hasMessageContaining("twice");
    assertThat(gateway.sent).isEmpty();
  }

  @Test
  void oneThatCannotBeHadReleasesTheOthers() {
    gateway.then(
        granted("41", TTL),
        granted("42", TTL),
        problem(409, "lock-held", "rejected", true),
        RELEASED,
        RELEASED);
    AcquireAllResult result = client.acquireAll(List.of("c", "a", "b"), AcquireOptions.DEFAULTS);

    assertThat(result)
        .isInstanceOfSatisfying(
            AcquireAllResult.NotHeld.class,
            notHeld -> {
              assertThat(notHeld.resource()).hasToString("c");
              assertThat(notHeld.problem().code()).isEqualTo("lock-held");
            });
    assertThat(calls())
        .containsExactly("acquire a", "acquire b", "acquire c", "release b", "release a");
  }

  @Test
  void thePatienceIsOneForAll() {
    AcquireOptions options =
        AcquireOptions.DEFAULTS.withTtl(Duration.ofSeconds(600)).withWait(Duration.ofSeconds(30));
    gateway
        .thenAfter(10_000, granted("41", 600_000))
        .thenAfter(20_000, problem(409, "wait-timeout", "rejected", true))
        .then(RELEASED);
    assertThat(client.acquireAll(List.of("b", "a"), options))
        .isInstanceOf(AcquireAllResult.NotHeld.class);

    assertThat(gateway.sent.get(0).call().body()).contains("\"waitTimeoutMs\":30000");
    assertThat(gateway.sent.get(1).call().body()).contains("\"waitTimeoutMs\":20000");
    assertThat(time.millis()).isEqualTo(30_000);
  }

  @Test
  void oneThatIsLostWhileAnotherIsWaitedForEndsTheWaitAtOnce() {
    gateway
        .then(granted("41", TTL))
        .thenSilence(3_000)
        .then(problem(409, "lease-lost", "rejected", false), ok("{\"cancelled\":true}"), RELEASED);
    AcquireAllResult result =
        client.acquireAll(
            List.of("a", "b"), AcquireOptions.DEFAULTS.withWait(Duration.ofSeconds(30)));

    assertThat(result)
        .isInstanceOfSatisfying(
            AcquireAllResult.NotHeld.class,
            notHeld -> {
              assertThat(notHeld.resource()).hasToString("a");
              assertThat(notHeld.problem().code()).isEqualTo("lease-lost");
            });
    assertThat(time.millis()).isEqualTo(3_000);
    assertThat(calls())
        .containsExactly("acquire a", "acquire b", "renew a", "cancel b", "release a");
  }

  @Test
  void theLossOfOneIsToldAndEndsTheHoldOfAll() {
    gateway.then(granted("41", TTL), granted("42", TTL));
    HeldLocks locks = acquire("a", "b");
    List<String> lost = new ArrayList<>();
    locks.addListener(
        (lock, before, after) -> {
          if (after.isLost()) {
            lost.add(lock.resource().value());
          }
        });
    gateway.then(
        problem(409, "lease-lost", "rejected", false),
        ok("{\"fencingToken\":\"42\",\"remainingMs\":9000}"));
    time.advance(3_000);

    assertThat(lost).containsExactly("a");
    assertThat(locks.isHeld()).isFalse();
    assertThat(locks.remaining()).isZero();
    assertThat(locks.lock("b").state().isLeading()).isTrue();
  }
}
