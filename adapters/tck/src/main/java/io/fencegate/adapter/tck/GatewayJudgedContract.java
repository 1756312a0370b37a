/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.token.FencingToken;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The contract of an adapter whose downstream compares no tokens, so that the gateway orders the
 * writes ({@link Offer.Judge#GATEWAY}) and {@code serialized} is the most that it may offer. An
 * adapter's test extends this class, gives it a downstream and inherits the tests. After every one
 * of them the invariants of {@link WriteHistory} are checked on all that was written.
 */
public abstract class GatewayJudgedContract extends CommonContract {

  private static final int AT_ONCE = 16;

  @Test
  void theGatewayJudgesAndNoMoreThanSerializedIsOffered() {
    assertThat(adapter().offer().judge()).isEqualTo(Offer.Judge.GATEWAY);
    assertThat(adapter().offer().guarantee()).isNotEqualTo(Guarantee.STRICT);
  }

  @Test
  void aWriteNeedsNoSeal() {
    applied(7, "a");
    assertThat(values()).containsExactly("a");
  }

  @Test
  void sealChangesNothing() {
    sealed(9);
    assertThat(log(RESOURCE)).isEmpty();
    applied(7, "a");
    sealed(7);
  }

  @Test
  void whatIsLetInIsAppliedInOrderWithItsToken() {
    applied(7, "a");
    applied(7, "b");
    applied(8, "c");
    assertThat(log(RESOURCE))
        .containsExactly(
            new LogEntry("a", new FencingToken(7)),
            new LogEntry("b", new FencingToken(7)),
            new LogEntry("c", new FencingToken(8)));
    assertThat(log(OTHER)).isEmpty();
  }

  @Test
  void writesThatAreUnderWayTogetherAreEachAppliedOnce() {
    List<CompletableFuture<ApplyOutcome>> started =
        IntStream.range(0, AT_ONCE).mapToObj(i -> start(7, "v" + i)).toList();
    started.forEach(it -> assertThat(OnContext.await(it)).isInstanceOf(ApplyOutcome.Applied.class));
    assertThat(values()).hasSize(AT_ONCE).doesNotHaveDuplicates();
  }

  @Test
  void whatWasAppliedOutlivesARestart() {
    applied(7, "a");
    restart();
    applied(7, "b");
    assertThat(values()).containsExactly("a", "b");
  }
}
