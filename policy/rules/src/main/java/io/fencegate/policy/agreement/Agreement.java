/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.agreement;

import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A gateway's own policies beside those that all gateways share. Immutable.
 *
 * @param own by their names
 * @param recorded what all gateways see, by name
 */
public record Agreement(Map<PolicyName, PolicyTerms> own, Map<PolicyName, Recorded> recorded) {

  public Agreement {
    own = Map.copyOf(own);
    recorded = Map.copyOf(recorded);
  }

  /** How a policy stands. */
  public enum Standing {
    AGREED,
    /** Nobody has recorded it yet. */
    UNRECORDED,
    /** Another form of it is in force, or of one that has to do with the same resources. */
    DIFFERENT
  }

  /** Whether this gateway has a policy in exactly this form. */
  public boolean isOwn(PolicyTerms terms) {
    PolicyTerms mine = own.get(terms.name());
    return mine != null && mine.equals(terms);
  }

  /** The standing of each of the own policies. */
  public Map<PolicyName, Standing> standings() {
    Map<PolicyName, Standing> all = new HashMap<>();
    own.forEach((name, terms) -> all.put(name, standing(terms)));
    return all;
  }

  private Standing standing(PolicyTerms mine) {
    Recorded record = recorded.get(mine.name());
    if (obstacle(mine).isPresent()) {
      return Standing.DIFFERENT;
    }
    if (record == null) {
      return losers(mine).isEmpty() ? Standing.UNRECORDED : Standing.DIFFERENT;
    }
    return record.isOf(mine) ? Standing.AGREED : Standing.DIFFERENT;
  }

  /**
   * Another policy's record that keeps {@code mine} from being in force: it has to do with the same
   * resources, says something else about them, and is not what this gateway has under that name.
   */
  public Optional<PolicyName> obstacle(PolicyTerms mine) {
    return contradicting(mine).stream().filter(it -> !isOwn(it, recorded.get(it))).findFirst();
  }

  /**
   * The other recorded policies that say something else about some of the resources of {@code
   * mine}. Where two of them are meant for one resource, priorities decide; so before one more is
   * added nothing may be under way under those that are there.
   */
  public List<PolicyName> contradicting(PolicyTerms mine) {
    return recorded.entrySet().stream()
        .filter(it -> !it.getKey().equals(mine.name()) && it.getValue().contradicts(mine))
        .map(Map.Entry::getKey)
        .sorted(Comparator.comparing(PolicyName::value))
        .toList();
  }

  /**
   * Those of them that would lose resources to {@code mine}: while something of these may be under
   * way, it is not added. One of lower priority takes nothing from anybody.
   */
  private List<PolicyName> losers(PolicyTerms mine) {
    return contradicting(mine).stream().filter(it -> !takesFrom(recorded.get(it), mine)).toList();
  }

  private static boolean takesFrom(@Nullable Recorded record, PolicyTerms mine) {
    return record != null && record.priority().filter(it -> it > mine.priority()).isPresent();
  }

  private boolean isOwn(PolicyName name, @Nullable Recorded record) {
    PolicyTerms mine = own.get(name);
    return mine != null && record != null && record.isOf(mine);
  }

  /** Why a write under {@code mine} cannot be let in, where its standing is not agreed. */
  public Refusal objection(PolicyTerms mine) {
    Optional<PolicyName> obstacle = obstacle(mine);
    String why =
        obstacle
            .map(
                it ->
                    "policy "
                        + it
                        + ", as the gateways share it, has to do with the same resources as policy "
                        + mine.name()
                        + " and says something else about them: 'policy switch "
                        + it
                        + "' puts it out of force or into this gateway's form")
            .orElseGet(() -> ownObjection(mine));
    return RefusalCode.HANDOVER.because(why);
  }

  /** The same with all that differs, for operators. */
  public String explanation(PolicyTerms mine) {
    return Optional.ofNullable(recorded.get(mine.name()))
            .filter(record -> !record.isOf(mine))
            .map(record -> record.differences(mine) + ": ")
            .orElse("")
        + objection(mine).detail();
  }

  private String ownObjection(PolicyTerms mine) {
    return Optional.ofNullable(recorded.get(mine.name()))
        .map(
            record ->
                "policy "
                    + mine.name()
                    + " of this gateway is not the one in force ("
                    + record.differing(mine)
                    + "): 'policy switch "
                    + mine.name()
                    + "' puts this one in force on all gateways that have it")
        .orElseGet(() -> unrecorded(mine));
  }

  private String unrecorded(PolicyTerms mine) {
    List<PolicyName> others = losers(mine);
    return "policy "
        + mine.name()
        + " is not in force yet"
        + (others.isEmpty()
            ? ""
            : ": it has to do with resources of "
                + others
                + "; 'policy switch "
                + mine.name()
                + "' puts it in force");
  }
}
