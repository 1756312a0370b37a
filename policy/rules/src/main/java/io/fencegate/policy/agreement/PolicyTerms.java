/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.agreement;

import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.model.Route;
import io.fencegate.policy.name.PolicyName;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the safety of a policy's writes depends on: which resources they are, where they go, what is
 * promised about them and whose tokens count. Two gateways may write under a policy only where
 * these are the same on both. Immutable.
 */
public final class PolicyTerms {

  /** The term that says what counts among policies for one resource; 0 where it is missing. */
  public static final String PRIORITY = "priority";

  /** The term that says where writes go. */
  public static final String DESTINATION = "adapter";

  private final PolicyName name;
  private final ResourcePattern match;
  private final Optional<Route> route;
  private final SortedMap<String, String> others;

  /**
   * The terms of one policy.
   *
   * @param others what else has to be the same, as short texts of one line without secrets, by
   *     names of one word
   */
  public PolicyTerms(
      PolicyName name, ResourcePattern match, Optional<Route> route, Map<String, String> others) {
    this.name = name;
    this.match = match;
    this.route = route;
    this.others = Collections.unmodifiableSortedMap(new TreeMap<>(others));
  }

  public PolicyName name() {
    return name;
  }

  public ResourcePattern match() {
    return match;
  }

  public Optional<Route> route() {
    return route;
  }

  /** Among policies for one resource the highest counts. */
  public int priority() {
    String given = others.getOrDefault(PRIORITY, "0");
    return given.matches("-?[0-9]{1,4}") ? Integer.parseInt(given) : Integer.MAX_VALUE;
  }

  /** Whether both have the same resources, as far as other policies leave them these. */
  boolean hasResourcesOf(PolicyTerms other) {
    return match.equals(other.match) && priority() == other.priority();
  }

  /** Where its writes go; empty where the terms do not say. */
  public String destination() {
    return others.getOrDefault(DESTINATION, "");
  }

  public SortedMap<String, String> others() {
    return others;
  }

  /**
   * Whether writes under both could go wrong: some resource would be treated differently, or some
   * path would lead to different resources.
   */
  public boolean contradicts(PolicyTerms other) {
    return (match.overlaps(other.match) && !others.equals(other.others)) || leadsElsewhere(other);
  }

  private boolean leadsElsewhere(PolicyTerms other) {
    return route.isPresent()
        && other.route.isPresent()
        && !(match.equals(other.match) && route.equals(other.route))
        && (match.overlaps(other.match) || route.get().overlaps(other.route.get()));
  }

  /** What is different, for operators: e.g. {@code adapter 'a' instead of 'b'}. */
  public String differences(PolicyTerms other) {
    return differing(other).stream()
        .map(it -> it + " " + shown(all().get(it)) + " instead of " + shown(other.all().get(it)))
        .collect(Collectors.joining(", "));
  }

  /** The names of what is different: values may tell where a database is. */
  SortedSet<String> differing(PolicyTerms other) {
    SortedMap<String, String> mine = all();
    SortedMap<String, String> theirs = other.all();
    SortedSet<String> names = new TreeSet<>(mine.keySet());
    names.addAll(theirs.keySet());
    names.removeIf(it -> Objects.equals(mine.get(it), theirs.get(it)));
    return names;
  }

  private static String shown(@Nullable String value) {
    return value == null ? "none" : "'" + value + "'";
  }

  private SortedMap<String, String> all() {
    SortedMap<String, String> all = new TreeMap<>(others);
    all.put("match", match.toString());
    route.ifPresent(it -> all.put("route", it.toString()));
    return all;
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof PolicyTerms that
            && name.equals(that.name)
            && match.equals(that.match)
            && route.equals(that.route)
            && others.equals(that.others));
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, match, route, others);
  }

  @Override
  public String toString() {
    return name + " " + all();
  }
}
