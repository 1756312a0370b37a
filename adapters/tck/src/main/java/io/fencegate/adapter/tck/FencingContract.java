/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.token.FencingToken;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a downstream that judges promises about epochs: who may write, and who never any more. */
abstract class FencingContract extends CommonContract {

  /** Rounds of the race between an older write and a newer seal. */
  private static final int RACE_ROUNDS = 40;

  /**
   * A write that appends {@code value} first and then, or thereby, makes the downstream refuse it.
   */
  protected abstract WriteContent appendAndFail(
      ResourceName resource, FencingToken token, String value);

  @Test
  void firstTokenAnswersSealFirstAndIsAppliedAfterTheSeal() {
    assertThat(apply(7, "a")).isInstanceOf(ApplyOutcome.SealFirst.class);
    assertThat(values()).isEmpty();
    sealed(7);
    assertThat(apply(7, "b")).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(values()).containsExactly("b");
  }

  @Test
  void staleTokenIsNeverAppliedAndLearnsTheEpoch() {
    sealed(42);
    applied(42, "new");
    assertThat(apply(41, "old")).isEqualTo(new ApplyOutcome.Stale(new FencingToken(42)));
    assertThat(values()).containsExactly("new");
  }

  @Test
  void equalTokensPass() {
    sealed(7);
    applied(7, "a");
    applied(7, "b");
    applied(7, "c");
    assertThat(values()).containsExactly("a", "b", "c");
  }

  @Test
  void newerTokenMustSealBeforeItWrites() {
    sealed(7);
    applied(7, "a");
    assertThat(apply(8, "b")).isInstanceOf(ApplyOutcome.SealFirst.class);
    sealed(8);
    applied(8, "c");
    assertThat(values()).containsExactly("a", "c");
  }

  @Test
  void applyNeverRaisesTheEpochByItself() {
    sealed(7);
    assertThat(apply(9, "a")).isInstanceOf(ApplyOutcome.SealFirst.class);
    applied(7, "b");
  }

  @Test
  void failedFirstWriteOfATermLeavesTheRaiseInPlace() {
    sealed(7);
    sealed(8);
    assertThat(write(8, "a", appendAndFail(RESOURCE, new FencingToken(8), "a"), null))
        .isInstanceOf(ApplyOutcome.Rejected.class);
    assertThat(apply(7, "zombie")).isInstanceOf(ApplyOutcome.Stale.class);
  }

  @Test
  void sealIsIdempotent() {
    sealed(7);
    sealed(7);
    applied(7, "a");
    sealed(7);
  }

  @Test
  void sealWithALowerTokenAnswersStaleWithTheEpoch() {
    sealed(7);
    assertThat(seal(6, null)).isEqualTo(new SealOutcome.Stale(new FencingToken(7)));
    applied(7, "a");
  }

  @Test
  void resourcesHaveEpochsOfTheirOwn() {
    sealed(7);
    Permit other = permits.mint(OTHER, new FencingToken(3));
    assertThat(gateway.run(() -> adapter().seal(other, new Seal(null, deadline()))))
        .isEqualTo(new SealOutcome.Sealed());
    FencedWrite write = new FencedWrite(append(OTHER, new FencingToken(3), "x"), null, deadline());
    assertThat(history.note("x", gateway.run(() -> adapter().apply(other, write))))
        .isInstanceOf(ApplyOutcome.Applied.class);
    applied(7, "a");
    assertThat(log(OTHER)).containsExactly(new LogEntry("x", new FencingToken(3)));
  }

  @Test
  void epochBelowTheConfirmedFloorClosesTheResource() {
    assertThat(codeOf(seal(7, new FencingToken(5)))).isEqualTo(RefusalCode.EPOCH_WENT_BACKWARDS);
    assertThat(apply(7, "a")).isInstanceOf(ApplyOutcome.SealFirst.class);
    sealed(6);
    assertThat(codeOf(seal(9, new FencingToken(8)))).isEqualTo(RefusalCode.EPOCH_WENT_BACKWARDS);
    assertThat(seal(9, new FencingToken(6))).isEqualTo(new SealOutcome.Sealed());
  }

  @Test
  void resetForgetsTheEpochSoThatLowerTokensCountAnew() {
    Permit high = permits.mint(OTHER, new FencingToken(5_000));
    assertThat(gateway.run(() -> adapter().seal(high, new Seal(null, deadline()))))
        .isEqualTo(new SealOutcome.Sealed());
    for (int twice = 0; twice < 2; twice++) {
      assertThat(gateway.run(() -> adapter().resetEpoch(OTHER, deadline()))).isEmpty();
    }
    Permit low = permits.mint(OTHER, new FencingToken(3));
    FencedWrite write = new FencedWrite(append(OTHER, new FencingToken(3), "x"), null, deadline());
    assertThat(gateway.run(() -> adapter().apply(low, write)))
        .isInstanceOf(ApplyOutcome.SealFirst.class);
    assertThat(gateway.run(() -> adapter().seal(low, new Seal(null, deadline()))))
        .isEqualTo(new SealOutcome.Sealed());
    assertThat(history.note("x", gateway.run(() -> adapter().apply(low, write))))
        .isInstanceOf(ApplyOutcome.Applied.class);
  }

  @Test
  void epochOutlivesARestart() {
    Optional<String> excuse = notDurableBecause();
    assumeTrue(excuse.isEmpty(), excuse.orElse(""));
    sealed(42);
    applied(42, "a");
    restart();
    assertThat(apply(41, "old")).isEqualTo(new ApplyOutcome.Stale(new FencingToken(42)));
    applied(42, "b");
  }

  @Test
  void lateOlderWriteLandsBeforeTheNewerSealOrNotAtAll() {
    for (int round = 0; round < RACE_ROUNDS; round++) {
      long old = 10 + 2L * round;
      sealed(old);
      int n = round;
      List<CompletableFuture<ApplyOutcome>> late =
          IntStream.range(0, 4).mapToObj(i -> start(old, "late-" + n + "-" + i)).toList();
      sealed(old + 1);
      List<LogEntry> atSeal = log(RESOURCE);
      applied(old + 1, "new-" + round);
      late.forEach(OnContext::await);
      assertThat(log(RESOURCE).subList(0, atSeal.size())).isEqualTo(atSeal);
      assertThat(log(RESOURCE)).hasSize(atSeal.size() + 1);
    }
  }
}
