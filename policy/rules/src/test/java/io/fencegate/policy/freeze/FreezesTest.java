/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.freeze;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FreezesTest {

  private static Freeze freeze(String kind, String target) {
    FreezeScope scope = FreezeScope.parse(FreezeScope.Kind.parse(kind).orThrow(), target).orThrow();
    return new Freeze("id-of-" + kind, scope, "migration", 1);
  }

  private static boolean stops(Freezes freezes, String resource, String policy) {
    return freezes.of(new ResourceName(resource), new PolicyName(policy)).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "resource, settlement/eu, settlement/eu, true",
    "resource, settlement/eu, settlement/eu/2026, false",
    "resource, settlement/eu, settlement, false",
    "resource, settlement/eu, Settlement/eu, false",
    "prefix, settlement, settlement, true",
    "prefix, settlement, settlement/eu, true",
    "prefix, settlement, settlement/eu/2026, true",
    "prefix, settlement, settlements, false",
    "prefix, settlement, settlement-eu/a, false",
    "prefix, settlement/eu, settlement, false",
    "prefix, settlement/eu, settlement/eu2, false",
    "prefix, settlement/eu, settlement/eu/2, true",
    "policy, ledger, any/thing, true",
    "policy, ledge, any/thing, false",
    "policy, any, any/thing, false",
    "all, '', any/thing, true"
  })
  void aFreezeStopsWhatItsScopeNamesAndNothingElse(
      String kind, String target, String resource, boolean stopped) {
    Freezes freezes = new Freezes(List.of(freeze(kind, target)), false);
    assertThat(stops(freezes, resource, "ledger")).isEqualTo(stopped);
  }

  @Test
  void withoutFreezesNothingIsStopped() {
    assertThat(stops(Freezes.NONE, "a", "b")).isFalse();
  }

  @Test
  void oneOfSeveralSuffices() {
    Freezes freezes =
        new Freezes(List.of(freeze("resource", "a"), freeze("policy", "ledger")), false);
    assertThat(stops(freezes, "a", "other")).isTrue();
    assertThat(stops(freezes, "b", "ledger")).isTrue();
    assertThat(stops(freezes, "b", "other")).isFalse();
  }

  @Test
  void whereNotAllAreKnownEverythingIsStopped() {
    assertThat(stops(new Freezes(List.of(), true), "a", "b")).isTrue();
  }

  @Test
  void theRefusalHasTheReasonAndIsDefinite() {
    Refusal refusal = freeze("policy", "ledger").refusal();
    assertThat(refusal.code()).isEqualTo(RefusalCode.FROZEN);
    assertThat(refusal.certainty()).isEqualTo(Certainty.REJECTED);
    assertThat(refusal.retryable()).isFalse();
    assertThat(refusal.detail()).startsWith("migration").contains("policy ledger", "id-of-policy");
  }

  @ParameterizedTest
  @CsvSource({
    "resource, ''",
    "resource, a//b",
    "prefix, settlement/",
    "prefix, ''",
    "policy, a/b",
    "policy, ''",
    "all, a"
  })
  void aTargetThatDoesNotFitItsScopeIsMalformed(String kind, String target) {
    assertThat(FreezeScope.parse(FreezeScope.Kind.parse(kind).orThrow(), target))
        .isInstanceOf(Parsed.Malformed.class);
  }

  @ParameterizedTest
  @CsvSource({"''", "ALL", "everything", "resources"})
  void anUnknownScopeIsMalformed(String kind) {
    assertThat(FreezeScope.Kind.parse(kind)).isInstanceOf(Parsed.Malformed.class);
  }
}
