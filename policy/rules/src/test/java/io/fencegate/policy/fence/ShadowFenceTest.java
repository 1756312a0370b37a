/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ShadowFenceTest {

  private static final ResourceName R = new ResourceName("settlement/eu");
  private static final ClockReading NOW = new ClockReading(1_000, 1_000);
  private static final long LATER_NANOS = Duration.ofSeconds(10).toNanos();

  private final ShadowFence fence = new ShadowFence(Duration.ofMillis(250));

  private static WriteHeader header(long token) {
    return new WriteHeader(new FencingToken(token), null);
  }

  private Decision judge(long token) {
    return fence.judge(R, header(token), false, NOW);
  }

  private void verified(long token) {
    fence.verified(R, new Verification(new FencingToken(token), null, LATER_NANOS), NOW, NOW);
  }

  @Test
  void verdictsAreThoseOfEnforcing() {
    assertThat(judge(41)).isInstanceOf(Decision.Verify.class);
    verified(41);
    assertThat(judge(41)).isInstanceOf(Decision.Enter.class);
    assertThat(judge(42)).isInstanceOf(Decision.Verify.class);
    verified(42);
    assertThat(judge(42)).isInstanceOf(Decision.Enter.class);
    Decision stale = judge(41);
    assertThat(stale).isInstanceOf(Decision.Refuse.class);
    assertThat(((Decision.Refuse) stale).refusal().code()).isEqualTo(RefusalCode.STALE_TOKEN);
    assertThat(fence.highest(R)).isEqualTo(new FencingToken(42));
  }

  @Test
  void aChangeOfTheLockIsAskedForAgain() {
    verified(42);
    fence.withdraw(R, NOW);
    assertThat(judge(42)).isInstanceOf(Decision.Verify.class);
  }

  @Test
  void judgingLetsNothingThroughAndLeavesNothingUnderWay() {
    verified(42);
    judge(42);
    assertThat(fence.underWay(R)).isZero();
  }

  @Test
  void aWriteIsUnderWayFromBeingLetThroughUntilItLeaves() {
    ShadowPermit one = fence.letThrough(R, new FencingToken(41));
    ShadowPermit bare = fence.letThrough(R, null);
    assertThat(fence.underWay(R)).isEqualTo(2);
    fence.leave(one);
    fence.leave(one);
    assertThat(fence.underWay(R)).isEqualTo(1);
    fence.leave(bare);
    assertThat(fence.underWay(R)).isZero();
    assertThat(fence.underWay(new ResourceName("settlement/us"))).isZero();
  }
}
