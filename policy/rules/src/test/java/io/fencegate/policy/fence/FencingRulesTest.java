/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseId;
import io.fencegate.policy.token.LeaseProof;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FencingRulesTest {

  private static final FencingToken EPOCH = new FencingToken(42);
  private static final LeaseProof MINE = proof(1);
  private static final LeaseProof OTHER = proof(2);
  private static final ClockReading NOW = new ClockReading(1_000, 0);

  private enum TokenIs {
    BELOW,
    EQUAL,
    ABOVE,
    FIRST
  }

  private enum ProofIs {
    SAME,
    OTHER,
    NONE
  }

  private enum VerificationIs {
    PRESENT,
    ENDING_NOW,
    EXPIRED,
    WITHDRAWN,
    WITHOUT_LEASE
  }

  private static LeaseProof proof(int fill) {
    byte[] secret = new byte[LeaseId.BYTES];
    secret[0] = (byte) fill;
    return LeaseId.of(secret).proof();
  }

  static Stream<Arguments> combinations() {
    List<Arguments> all = new ArrayList<>();
    for (TokenIs token : TokenIs.values()) {
      for (ProofIs proof : ProofIs.values()) {
        for (VerificationIs verification : VerificationIs.values()) {
          for (boolean required : List.of(true, false)) {
            all.add(Arguments.of(token, proof, verification, required));
          }
        }
      }
    }
    return all.stream();
  }

  /** The table written a second time, as a person would read it aloud. */
  private static String expected(
      TokenIs token, ProofIs proof, VerificationIs verification, boolean required) {
    if (token == TokenIs.BELOW) {
      return "stale-token";
    }
    if (required && proof == ProofIs.NONE) {
      return "lease-required";
    }
    boolean confirmed =
        token == TokenIs.EQUAL
            && ((verification == VerificationIs.PRESENT && proof == ProofIs.SAME)
                || (verification == VerificationIs.WITHOUT_LEASE && proof == ProofIs.NONE));
    return confirmed ? "enter" : "verify";
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void everyCombinationHasItsDecision(
      TokenIs token, ProofIs proof, VerificationIs verification, boolean required) {
    FencingToken given =
        switch (token) {
          case BELOW -> new FencingToken(41);
          case EQUAL, FIRST -> EPOCH;
          case ABOVE -> new FencingToken(43);
        };
    LeaseProof shown =
        switch (proof) {
          case SAME -> MINE;
          case OTHER -> OTHER;
          case NONE -> null;
        };
    Verification known =
        switch (verification) {
          case PRESENT -> new Verification(EPOCH, MINE, 1_001);
          case ENDING_NOW -> new Verification(EPOCH, MINE, 1_000);
          case EXPIRED -> new Verification(EPOCH, MINE, 999);
          case WITHDRAWN -> null;
          case WITHOUT_LEASE -> new Verification(EPOCH, null, 1_001);
        };
    FenceView view = token == TokenIs.FIRST ? FenceView.BLANK : new FenceView(EPOCH, known);
    Decision decision = FencingRules.decide(view, new WriteHeader(given, shown), required, NOW);
    assertThat(decision.fold(() -> "enter", () -> "verify", refusal -> refusal.code().wireName()))
        .isEqualTo(expected(token, proof, verification, required));
  }

  @Test
  void refusalsSayWhatWasGivenAndTheEpoch() {
    Refusal stale = FencingRules.stale(new FencingToken(41), EPOCH);
    assertThat(stale.code()).isEqualTo(RefusalCode.STALE_TOKEN);
    assertThat(stale.epoch()).isEqualTo(EPOCH);
    assertThat(stale.retryable()).isFalse();
    assertThat(stale.detail()).isEqualTo("token 41 was given, the resource has accepted 42");
    Refusal missing =
        FencingRules.decide(FenceView.BLANK, new WriteHeader(EPOCH, null), true, NOW)
            .fold(() -> null, () -> null, refusal -> refusal);
    assertThat(missing.field()).isEqualTo("Fencing-Lease");
  }

  @Test
  void epochsOnlyRise() {
    Verification at42 = new Verification(EPOCH, MINE, 10);
    FenceView view = FenceView.BLANK.with(at42);
    assertThat(view).isEqualTo(new FenceView(EPOCH, at42));
    assertThat(view.with(new Verification(new FencingToken(41), MINE, 99))).isSameAs(view);
    Verification again = new Verification(EPOCH, OTHER, 99);
    assertThat(view.with(again)).isEqualTo(new FenceView(EPOCH, again));
    assertThat(view.raisedTo(new FencingToken(41))).isSameAs(view);
    assertThat(view.raisedTo(EPOCH)).isSameAs(view);
    assertThat(view.raisedTo(new FencingToken(43)))
        .isEqualTo(new FenceView(new FencingToken(43), null));
    assertThat(FenceView.BLANK.raisedTo(EPOCH)).isEqualTo(new FenceView(EPOCH, null));
  }

  @Test
  void withdrawingKeepsTheEpoch() {
    FenceView view = FenceView.BLANK.with(new Verification(EPOCH, MINE, 10));
    assertThat(view.withoutVerification()).isEqualTo(new FenceView(EPOCH, null));
    assertThat(FenceView.BLANK.withoutVerification()).isSameAs(FenceView.BLANK);
  }
}
