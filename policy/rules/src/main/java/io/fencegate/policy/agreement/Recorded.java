/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.agreement;

import io.fencegate.policy.model.ResourcePattern;
import java.util.Optional;

/** What all gateways see of one policy. */
public sealed interface Recorded {

  /** It is in force with these terms. */
  record InForce(PolicyTerms terms) implements Recorded {}

  /** It was put out of force; no gateway may have it until it is switched to. */
  record Withdrawn() implements Recorded {}

  /** This gateway cannot read it, so it may mean anything. */
  record Unreadable() implements Recorded {}

  /** Whether it is in force exactly so. */
  default boolean isOf(PolicyTerms mine) {
    return terms().filter(mine::equals).isPresent();
  }

  /** Whether it may say something else about the same resources. */
  default boolean contradicts(PolicyTerms mine) {
    return this instanceof Unreadable || terms().filter(it -> it.contradicts(mine)).isPresent();
  }

  /** In what {@code mine} is another one, for operators. */
  default String differences(PolicyTerms mine) {
    return terms().map(mine::differences).orElseGet(this::noTerms);
  }

  /** The same for whoever is refused. */
  default String differing(PolicyTerms mine) {
    return terms()
        .map(it -> "another " + String.join(", ", mine.differing(it)))
        .orElseGet(this::noTerms);
  }

  private String noTerms() {
    return this instanceof Withdrawn ? "it was put out of force" : "its record cannot be read";
  }

  /** What counts among policies for one resource; empty where that is not known. */
  default Optional<Integer> priority() {
    return terms().map(PolicyTerms::priority);
  }

  /** Which resources it is about; empty where that is not known or none. */
  default Optional<ResourcePattern> match() {
    return terms().map(PolicyTerms::match);
  }

  /** Whether both are known to send the writes of the same resources to the same downstream. */
  default boolean goesWhere(Recorded other) {
    return terms()
        .flatMap(
            mine ->
                other
                    .terms()
                    .map(
                        theirs ->
                            mine.destination().equals(theirs.destination())
                                && mine.hasResourcesOf(theirs)))
        .orElse(false);
  }

  private Optional<PolicyTerms> terms() {
    return this instanceof InForce it ? Optional.of(it.terms()) : Optional.empty();
  }
}
