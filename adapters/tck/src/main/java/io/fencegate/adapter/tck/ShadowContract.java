/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.fence.ShadowFence;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What an adapter promises about writes in shadow: no token matters, everything else does. They are
 * written to a resource of their own, because the order of tokens is no invariant there.
 */
abstract class ShadowContract extends FencingContract {

  private static final ResourceName LOOSE = new ResourceName("tck/shadow");

  private final ShadowFence fence = new ShadowFence(Duration.ofHours(1));

  /** Why it carries out no writes in shadow; empty where it does. */
  protected Optional<String> noShadowBecause() {
    return Optional.empty();
  }

  private void assumeShadow() {
    Optional<String> excuse = noShadowBecause();
    assumeTrue(excuse.isEmpty(), excuse.orElse(""));
  }

  private ApplyOutcome letThrough(@Nullable Long token, String value, @Nullable KeyClaim claim) {
    return letThrough(token, append(LOOSE, new FencingToken(1), value), claim);
  }

  private ApplyOutcome letThrough(
      @Nullable Long token, WriteContent content, @Nullable KeyClaim claim) {
    return gateway.run(
        () ->
            adapter()
                .applyUnfenced(
                    fence.letThrough(LOOSE, token == null ? null : new FencingToken(token)),
                    new FencedWrite(content, claim, deadline())));
  }

  private ApplyOutcome enforced(long token, String value) {
    Permit permit = permits.mint(LOOSE, new FencingToken(token));
    FencedWrite write =
        new FencedWrite(append(LOOSE, new FencingToken(1), value), null, deadline());
    return gateway.run(() -> adapter().apply(permit, write));
  }

  private SealOutcome raise(long token) {
    Permit permit = permits.mint(LOOSE, new FencingToken(token));
    return gateway.run(() -> adapter().seal(permit, new Seal(null, deadline())));
  }

  private static KeyScope scope(String key) {
    return new KeyScope(LOOSE, "caller", new IdempotencyKey(key));
  }

  private static KeyClaim key(String key) {
    return new KeyClaim(scope(key), "f1", Duration.ofHours(1));
  }

  private List<String> written() {
    return log(LOOSE).stream().map(LogEntry::value).toList();
  }

  private static void assertApplied(ApplyOutcome outcome) {
    assertThat(outcome).isInstanceOf(ApplyOutcome.Applied.class);
  }

  @Test
  void writeInShadowNeedsNoEpochAndRaisesNone() {
    assumeShadow();
    assertApplied(letThrough(9L, "a", null));
    assertThat(enforced(7, "b")).isInstanceOf(ApplyOutcome.SealFirst.class);
    assertThat(raise(7)).isEqualTo(new SealOutcome.Sealed());
    assertApplied(enforced(7, "c"));
    assertThat(written()).containsExactly("a", "c");
  }

  @Test
  void writeInShadowIsCarriedOutWithoutAnyToken() {
    assumeShadow();
    assertApplied(letThrough(null, "a", null));
    assertThat(written()).containsExactly("a");
  }

  @Test
  void staleWriteInShadowIsNotRefusedAndChangesNoEpoch() {
    assumeShadow();
    assertThat(raise(42)).isEqualTo(new SealOutcome.Sealed());
    assertApplied(letThrough(41L, "old", null));
    assertApplied(letThrough(43L, "newer", null));
    assertApplied(enforced(42, "holder"));
    assertThat(enforced(41, "zombie")).isEqualTo(new ApplyOutcome.Stale(new FencingToken(42)));
    assertThat(written()).containsExactly("old", "newer", "holder");
  }

  @Test
  void keyIsAppliedOnceInShadowTooAndRemembersTheTokenOrThatNoneCame() {
    assumeShadow();
    assertApplied(letThrough(9L, "a", key("k")));
    ApplyOutcome.Replayed again = (ApplyOutcome.Replayed) letThrough(null, "a", key("k"));
    assertThat(again.recorded().token()).isEqualTo(new FencingToken(9));
    assertApplied(letThrough(null, "b", key("bare")));
    Ruling<RecordedWrite> found =
        gateway.run(() -> adapter().records().orElseThrow().lookUp(scope("bare"), deadline()));
    RecordedWrite.Applied record =
        found.fold(
            RecordedWrite.Applied.class::cast,
            refusal -> {
              throw new AssertionError("the record was not read: " + refusal);
            });
    assertThat(record.token()).isNull();
    assertThat(written()).containsExactly("a", "b");
  }

  @Test
  void failedWriteInShadowLeavesNothingBehind() {
    assumeShadow();
    WriteContent failing = appendAndFail(LOOSE, new FencingToken(1), "a");
    assertThat(letThrough(9L, failing, null)).isInstanceOf(ApplyOutcome.Rejected.class);
    assertThat(written()).isEmpty();
  }
}
