/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.token.FencingToken;
import org.junit.jupiter.api.Test;

/**
 * The contract of an adapter that offers {@code strict} and keeps its own outcome records. An
 * adapter's test extends this class, gives it a downstream and inherits the tests, those about
 * fencing and about keys included. After every one of them the invariants of {@link WriteHistory}
 * are checked on all that was written.
 *
 * <p>An override of {@link #notDurableBecause} or {@link #noShadowBecause} states its reason; there
 * is nothing else to opt out of.
 */
public abstract class AdapterContract extends KeysContract {

  @Test
  void strictIsOfferedAndTheDownstreamJudges() {
    assertThat(adapter().offer().guarantee()).isEqualTo(Guarantee.STRICT);
    assertThat(adapter().offer().judge()).isEqualTo(Offer.Judge.DOWNSTREAM);
  }

  @Test
  void failedWriteLeavesNothingBehindAndItsKeyFree() {
    sealed(7);
    FencingToken token = new FencingToken(7);
    ApplyOutcome failed =
        write(7, "x", appendAndFail(RESOURCE, token, "x"), claim("caller", "k", "f1"));
    assertThat(codeOf(failed)).isEqualTo(RefusalCode.OPERATION_FAILED);
    assertThat(values()).isEmpty();
    assertThat(lookUp("k")).isEqualTo(new RecordedWrite.None());
    assertThat(keyed(7, "y", "k", "f2")).isInstanceOf(ApplyOutcome.Applied.class);
  }

  @Test
  void refusalSaysThatNothingWasApplied() {
    sealed(7);
    ApplyOutcome failed = write(7, "x", appendAndFail(RESOURCE, new FencingToken(7), "x"), null);
    Refusal refusal = ((ApplyOutcome.Rejected) failed).refusal();
    assertThat(refusal.certainty()).isEqualTo(Certainty.REJECTED);
    assertThat(refusal.detail()).isNotBlank();
  }
}
