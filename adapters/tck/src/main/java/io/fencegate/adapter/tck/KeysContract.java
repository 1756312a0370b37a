/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.token.FencingToken;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every adapter promises about Idempotency-Keys and the records of their outcomes. */
abstract class KeysContract extends ShadowContract {

  private static final int DUPLICATES = 8;

  @Test
  void repeatWithTheSameKeyGetsTheFirstResultsByteForByte() {
    sealed(7);
    ApplyOutcome.Applied first = (ApplyOutcome.Applied) keyed(7, "a", "k", "f1");
    ApplyOutcome.Replayed again = (ApplyOutcome.Replayed) keyed(7, "a", "k", "f1");
    assertThat(again.recorded().resultsJson()).isEqualTo(first.resultsJson());
    assertThat(again.recorded().token()).isEqualTo(new FencingToken(7));
    assertThat(again.recorded().fingerprint()).isEqualTo("f1");
    assertThat(values()).containsExactly("a");
  }

  @Test
  void appliedKeyIsReplayedEvenIfItsTokenIsStaleByNow() {
    sealed(7);
    ApplyOutcome.Applied first = (ApplyOutcome.Applied) keyed(7, "a", "k", "f1");
    sealed(8);
    ApplyOutcome.Replayed again = (ApplyOutcome.Replayed) keyed(7, "a", "k", "f1");
    assertThat(again.recorded().resultsJson()).isEqualTo(first.resultsJson());
    assertThat(keyed(9, "a", "k", "f1")).isInstanceOf(ApplyOutcome.Replayed.class);
    assertThat(apply(9, "b")).isInstanceOf(ApplyOutcome.SealFirst.class);
  }

  @Test
  void sameKeyWithAnotherFingerprintIsRefused() {
    sealed(7);
    keyed(7, "a", "k", "f1");
    assertThat(codeOf(keyed(7, "b", "k", "f2"))).isEqualTo(RefusalCode.IDEMPOTENCY_KEY_REUSED);
    assertThat(values()).containsExactly("a");
  }

  @Test
  void keysOfTwoCallersAreTwoWrites() {
    sealed(7);
    assertThat(write(7, "a", claim("one", "k", "f"))).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(write(7, "b", claim("two", "k", "f"))).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(values()).containsExactly("a", "b");
  }

  @Test
  void concurrentDuplicatesAreAppliedOnce() {
    sealed(7);
    List<CompletableFuture<ApplyOutcome>> started =
        IntStream.range(0, DUPLICATES)
            .mapToObj(i -> start(7, "a", claim("caller", "k", "f1")))
            .toList();
    List<ApplyOutcome> outcomes = started.stream().map(OnContext::await).toList();
    assertThat(outcomes).filteredOn(ApplyOutcome.Applied.class::isInstance).hasSize(1);
    assertThat(outcomes)
        .allMatch(
            outcome ->
                outcome instanceof ApplyOutcome.Applied
                    || outcome instanceof ApplyOutcome.Replayed
                    || isRejected(outcome, RefusalCode.IN_FLIGHT));
    assertThat(values()).containsExactly("a");
  }

  @Test
  void recordsTellWhatAKeyCameTo() {
    sealed(7);
    assertThat(lookUp("k")).isEqualTo(new RecordedWrite.None());
    ApplyOutcome.Applied first = (ApplyOutcome.Applied) keyed(7, "a", "k", "f1");
    RecordedWrite.Applied found = (RecordedWrite.Applied) lookUp("k");
    assertThat(found.resultsJson()).isEqualTo(first.resultsJson());
    assertThat(found.token()).isEqualTo(new FencingToken(7));
    assertThat(found.fingerprint()).isEqualTo("f1");
  }

  @Test
  void recordsOutliveARestart() {
    Optional<String> excuse = notDurableBecause();
    assumeTrue(excuse.isEmpty(), excuse.orElse(""));
    sealed(42);
    ApplyOutcome.Applied first = (ApplyOutcome.Applied) keyed(42, "a", "k", "f1");
    restart();
    ApplyOutcome.Replayed again = (ApplyOutcome.Replayed) keyed(42, "a", "k", "f1");
    assertThat(again.recorded().resultsJson()).isEqualTo(first.resultsJson());
  }

  @Test
  void closedDoorIsProofThatNothingWasOrWillBeApplied() {
    sealed(7);
    assertThat(close("k")).isInstanceOf(RecordedWrite.Closed.class);
    assertThat(keyed(7, "a", "k", "f1")).isInstanceOf(ApplyOutcome.Rejected.class);
    assertThat(lookUp("k")).isInstanceOf(RecordedWrite.Closed.class);
    assertThat(close("k")).isInstanceOf(RecordedWrite.Closed.class);
    assertThat(values()).isEmpty();
  }

  @Test
  void appliedKeyStaysAppliedWhenItsDoorIsClosed() {
    sealed(7);
    keyed(7, "a", "k", "f1");
    assertThat(close("k")).isInstanceOf(RecordedWrite.Applied.class);
    assertThat(keyed(7, "a", "k", "f1")).isInstanceOf(ApplyOutcome.Replayed.class);
  }
}
