/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.name.AdapterName;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What must hold between the policies of all files. */
final class SetChecks {

  private final List<Draft> drafts;

  SetChecks(List<Draft> drafts) {
    this.drafts = drafts;
  }

  void adaptersExist(Collection<String> known) {
    for (Draft draft : drafts) {
      draft
          .adapter()
          .map(AdapterName::value)
          .filter(name -> !known.contains(name))
          .ifPresent(name -> blame(draft, "adapter", knownAdapters(name, known)));
    }
  }

  private static String knownAdapters(String given, Collection<String> known) {
    return known.isEmpty()
        ? "an adapter, and no file defines one"
        : "one of the adapters " + String.join(", ", known) + Spelling.hint(given, known);
  }

  void namesAreUnique() {
    Map<String, Draft> first = new HashMap<>();
    for (Draft draft : drafts) {
      draft
          .name()
          .map(name -> first.putIfAbsent(name.value(), draft))
          .ifPresent(other -> blame(draft, "name", "another name than that of " + other.shown()));
    }
  }

  /** Each policy is told of the first other one only: a crowd of overlaps has one cause mostly. */
  void patternsDoNotOverlap() {
    for (int i = 0; i < drafts.size(); i++) {
      Draft draft = drafts.get(i);
      drafts.subList(0, i).stream()
          .filter(other -> clash(other, draft))
          .findFirst()
          .ifPresent(
              other ->
                  blame(
                      draft,
                      "match",
                      "a pattern that does not overlap that of "
                          + other.shown()
                          + ", or another priority"));
    }
  }

  /** One path must lead to one resource. */
  void routesDoNotOverlap() {
    for (int i = 0; i < drafts.size(); i++) {
      Draft draft = drafts.get(i);
      drafts.subList(0, i).stream()
          .filter(other -> routesClash(other, draft))
          .findFirst()
          .ifPresent(
              other ->
                  draft
                      .fields()
                      .in("http")
                      .node("route")
                      .ifPresent(
                          node ->
                              draft
                                  .problems()
                                  .blame(
                                      node,
                                      "a route that does not overlap that of "
                                          + other.shown()
                                          + ", or another priority")));
    }
  }

  private static boolean routesClash(Draft a, Draft b) {
    return samePriority(a, b)
        && a.http().isPresent()
        && b.http().isPresent()
        && a.http().get().route().overlaps(b.http().get().route());
  }

  private static boolean samePriority(Draft a, Draft b) {
    return a.priority().isPresent() && a.priority().equals(b.priority());
  }

  private static boolean clash(Draft a, Draft b) {
    return samePriority(a, b)
        && a.match().isPresent()
        && b.match().isPresent()
        && a.match().get().overlaps(b.match().get());
  }

  private static void blame(Draft draft, String key, String expected) {
    draft.fields().node(key).ifPresent(node -> draft.problems().blame(node, expected));
  }
}
