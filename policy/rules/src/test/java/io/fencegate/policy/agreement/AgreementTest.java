/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.agreement.Agreement.Standing;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.model.Route;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.PolicyName;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Gateways write to a resource only under policies that say the same about it. */
class AgreementTest {

  private static PolicyName name(String name) {
    return new PolicyName(name);
  }

  private static <T> T valid(Parsed<T> parsed) {
    return parsed.fold(
        it -> it,
        bad -> {
          throw new IllegalArgumentException(bad.message());
        });
  }

  private static PolicyTerms terms(String name, String match, String adapter) {
    return new PolicyTerms(
        name(name),
        valid(ResourcePattern.parse(match)),
        Optional.empty(),
        Map.of("adapter", adapter));
  }

  private static PolicyTerms routed(String name, String match, String route) {
    return new PolicyTerms(
        name(name),
        valid(ResourcePattern.parse(match)),
        Optional.of(valid(Route.parse(route))),
        Map.of("adapter", "one"));
  }

  private static Standing standing(PolicyTerms mine, Object... recorded) {
    return agreement(mine, recorded).standings().get(mine.name());
  }

  private static Agreement agreement(PolicyTerms mine, Object... recorded) {
    Map<PolicyName, Recorded> records = new HashMap<>();
    for (Object each : recorded) {
      if (each instanceof PolicyTerms terms) {
        records.put(terms.name(), new Recorded.InForce(terms));
      } else {
        records.put(name("other"), (Recorded) each);
      }
    }
    return new Agreement(Map.of(mine.name(), mine), records);
  }

  @Test
  void whatIsRecordedAsThisGatewayHasItIsAgreed() {
    PolicyTerms mine = terms("a", "x/{n}", "one");
    assertThat(standing(mine, terms("a", "x/{n}", "one"))).isEqualTo(Standing.AGREED);
    assertThat(standing(mine)).isEqualTo(Standing.UNRECORDED);
  }

  @Test
  void anyOtherFormOfThePolicyIsNot() {
    PolicyTerms mine = terms("a", "x/{n}", "one");
    assertThat(standing(mine, terms("a", "x/{n}", "two"))).isEqualTo(Standing.DIFFERENT);
    assertThat(standing(mine, terms("a", "y/{n}", "one"))).isEqualTo(Standing.DIFFERENT);
    assertThat(standing(mine, routed("a", "x/{n}", "/x/{n}"))).isEqualTo(Standing.DIFFERENT);
    assertThat(agreement(mine, terms("a", "x/{n}", "two")).explanation(mine))
        .contains("adapter 'one' instead of 'two'", "policy switch a");
  }

  @Test
  void anotherNameIsNoDetour() {
    PolicyTerms mine = terms("b", "x/{n}", "two");
    PolicyTerms former = terms("a", "x/{n}", "one");
    assertThat(standing(mine, former)).isEqualTo(Standing.DIFFERENT);
    assertThat(standing(mine, former, mine)).isEqualTo(Standing.DIFFERENT);
    assertThat(agreement(mine, former).objection(mine).detail()).contains("policy switch a");
  }

  @Test
  void onePolicyMoreForResourcesOfAnotherNeedsASwitchThoughThisGatewayHasBoth() {
    PolicyTerms former = terms("a", "x/{n}", "one");
    PolicyTerms mine = terms("b", "x/y", "two");
    Map<PolicyName, PolicyTerms> own = Map.of(former.name(), former, mine.name(), mine);
    Map<PolicyName, Recorded> one = Map.of(former.name(), new Recorded.InForce(former));
    assertThat(new Agreement(own, one).standings())
        .isEqualTo(Map.of(former.name(), Standing.AGREED, mine.name(), Standing.DIFFERENT));
    assertThat(new Agreement(own, one).objection(mine).detail()).contains("policy switch b");
    assertThat(new Agreement(own, Map.of()).standings().values()).containsOnly(Standing.UNRECORDED);
    Map<PolicyName, Recorded> both =
        Map.of(
            former.name(), new Recorded.InForce(former), mine.name(), new Recorded.InForce(mine));
    assertThat(new Agreement(own, both).standings().values()).containsOnly(Standing.AGREED);
  }

  @Test
  void aPolicyUnderAnotherNameThatSaysTheSameIsNone() {
    assertThat(standing(terms("b", "x/{n}", "one"), terms("a", "x/{n}", "one")))
        .isEqualTo(Standing.UNRECORDED);
  }

  @Test
  void aPathThatLeadsToOtherResourcesIsNoDetourEither() {
    PolicyTerms mine = routed("b", "y/{n}", "/x/{n}");
    assertThat(standing(mine, routed("a", "x/{n}", "/x/{n}"))).isEqualTo(Standing.DIFFERENT);
    assertThat(standing(mine, routed("a", "x/{n}", "/z/{n}"))).isEqualTo(Standing.UNRECORDED);
  }

  @Test
  void whatWasWithdrawnStaysOutOfForceAndIsInNobodysWay() {
    PolicyTerms mine = terms("other", "x/{n}", "one");
    assertThat(standing(mine, new Recorded.Withdrawn())).isEqualTo(Standing.DIFFERENT);
    assertThat(standing(terms("a", "x/{n}", "one"), new Recorded.Withdrawn()))
        .isEqualTo(Standing.UNRECORDED);
  }

  @Test
  void whatCannotBeReadMayMeanAnything() {
    assertThat(standing(terms("a", "x/{n}", "one"), new Recorded.Unreadable()))
        .isEqualTo(Standing.DIFFERENT);
    PolicyTerms same = terms("other", "x/{n}", "one");
    assertThat(standing(same, new Recorded.Unreadable())).isEqualTo(Standing.DIFFERENT);
  }
}
