/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.ResourceName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {

  private static ResourcePattern pattern(String text) {
    return ResourcePattern.parse(text).orThrow();
  }

  private static ResourcePolicy policy(String name, String match, int priority) {
    return new ResourcePolicy(
        new PolicyName(name),
        pattern(match),
        priority,
        new AdapterName("a"),
        Guarantee.STRICT,
        FencingPolicy.DEFAULT,
        LeasePolicy.DEFAULT,
        AcquirePolicy.DEFAULT,
        IdempotencyPolicy.DEFAULT,
        UnresolvedPolicy.BLOCK,
        Limits.DEFAULT,
        Map.of(),
        Optional.empty());
  }

  @Test
  void variablesTakeExactlyOneSegmentEach() {
    ResourcePattern pattern = pattern("a/{x}/b/{y}");
    assertThat(pattern.variables()).containsExactly("x", "y");
    assertThat(pattern.match(new ResourceName("a/1/b/2"))).contains(Map.of("x", "1", "y", "2"));
    assertThat(pattern.match(new ResourceName("a/1/b"))).isEmpty();
    assertThat(pattern.match(new ResourceName("a/1/b/2/3"))).isEmpty();
    assertThat(pattern.match(new ResourceName("A/1/b/2"))).isEmpty();
    assertThat(pattern.match(new ResourceName("a/1/c/2"))).isEmpty();
    assertThat(pattern).hasToString("a/{x}/b/{y}").isEqualTo(pattern("a/{x}/b/{y}"));
    assertThat(pattern).isNotEqualTo(pattern("a/{x}/b/{z}")).hasSameHashCodeAs(pattern.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "a/",
        "/a",
        "a//b",
        "{}",
        "{1a}",
        "{a b}",
        "a{x}",
        "{x}b",
        "{x}{y}",
        "{x}/{x}",
        "*",
        "a/**",
        ".",
        "..",
        "a/../{x}",
        "{x",
        "x}",
        "{é}",
        "a b",
        "{x}\n",
        "{x_y-z}",
        "{x}/{y}/3/4/5/6/7/8/9"
      })
  void malformedPatternsAreRefused(String text) {
    assertThat(ResourcePattern.parse(text)).isInstanceOf(Parsed.Malformed.class);
  }

  /** All patterns and names of up to three segments over a small alphabet. */
  @Test
  void patternsOverlapExactlyWhereSomeResourceMatchesBoth() {
    List<ResourcePattern> patterns = new ArrayList<>();
    List<ResourceName> names = new ArrayList<>();
    List<String> shapes = sequences(List.of("a", "b", "*"));
    for (String shape : shapes) {
      String[] parts = shape.split("/", -1);
      for (int i = 0; i < parts.length; i++) {
        parts[i] = parts[i].equals("*") ? "{v" + i + "}" : parts[i];
      }
      patterns.add(pattern(String.join("/", parts)));
    }
    // "c" stands for every literal that no pattern names.
    sequences(List.of("a", "b", "c")).forEach(name -> names.add(new ResourceName(name)));
    for (ResourcePattern one : patterns) {
      assertThat(one.overlaps(one)).isTrue();
      for (ResourcePattern other : patterns) {
        boolean common =
            names.stream().anyMatch(n -> one.match(n).isPresent() && other.match(n).isPresent());
        assertThat(one.overlaps(other)).as(one + " and " + other).isEqualTo(common);
        assertThat(other.overlaps(one)).isEqualTo(one.overlaps(other));
      }
    }
  }

  private static List<String> sequences(List<String> alphabet) {
    List<String> all = new ArrayList<>();
    for (String a : alphabet) {
      all.add(a);
      for (String b : alphabet) {
        all.add(a + "/" + b);
        alphabet.forEach(c -> all.add(a + "/" + b + "/" + c));
      }
    }
    return all;
  }

  @Test
  void theHigherPriorityWinsWhateverTheOrderOfTheFile() {
    ResourcePolicy general = policy("general", "a/{x}", 0);
    ResourcePolicy special = policy("special", "a/b", 5);
    ResourcePolicy last = policy("last", "{y}/{x}", -5);
    for (List<ResourcePolicy> order :
        List.of(List.of(general, special, last), List.of(last, special, general))) {
      PolicySet set = new PolicySet(Map.of(), order);
      assertThat(set.match(new ResourceName("a/b")).orElseThrow().policy()).isEqualTo(special);
      assertThat(set.match(new ResourceName("a/c")).orElseThrow())
          .isEqualTo(new PolicySet.Match(general, Map.of("x", "c")));
      assertThat(set.match(new ResourceName("z/c")).orElseThrow().policy()).isEqualTo(last);
      assertThat(set.match(new ResourceName("z"))).isEmpty();
      assertThat(set.policies()).containsExactly(special, general, last);
    }
  }

  @Test
  void adapterSettingsNeverShowTheirValues() {
    Map<String, Object> settings = new HashMap<>(Map.of("url", "hunter2", "pool", "x"));
    AdapterConfig config = new AdapterConfig(new AdapterName("db"), "postgres", settings);
    settings.clear();
    assertThat(config).hasToString("AdapterConfig[db, postgres, [pool, url]]");
    assertThat(config.settings()).containsEntry("url", "hunter2");
    AdapterName name = new AdapterName("db");
    PolicySet set = new PolicySet(Map.of(name, config), List.of());
    assertThat(set.adapters()).containsEntry(name, config);
  }

  @Test
  void guaranteesAreOrderedByStrength() {
    assertThat(Guarantee.BEST_EFFORT.isWeakerThan(Guarantee.SERIALIZED)).isTrue();
    assertThat(Guarantee.SERIALIZED.isWeakerThan(Guarantee.STRICT)).isTrue();
    assertThat(Guarantee.STRICT.isWeakerThan(Guarantee.STRICT)).isFalse();
    assertThat(Guarantee.STRICT.isWeakerThan(Guarantee.BEST_EFFORT)).isFalse();
    assertThat(Guarantee.BEST_EFFORT.wireName()).isEqualTo("best-effort");
    assertThat(IdempotencyScope.RESOURCE.wireName()).isEqualTo("resource");
  }
}
