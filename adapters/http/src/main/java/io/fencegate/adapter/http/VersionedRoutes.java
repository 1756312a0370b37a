/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.ProxyPolicy;
import io.fencegate.policy.model.ResourcePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which policies versions can keep strict, pure: those whose resources are one URI each, so that
 * every write of a resource changes the one version that all of them are bound to; and only writes
 * that replace a version by another. What is created has none before, what is deleted none after.
 */
final class VersionedRoutes {

  private static final Set<String> REPLACING = new TreeSet<>(Set.of("PATCH", "PUT"));

  private VersionedRoutes() {}

  static List<PolicyProblem> problems(String pointer, ResourcePolicy policy) {
    List<PolicyProblem> problems = new ArrayList<>();
    policy.http().ifPresent(http -> check(pointer + "/http", policy, http, problems));
    return problems;
  }

  private static void check(
      String pointer, ResourcePolicy policy, ProxyPolicy http, List<PolicyProblem> problems) {
    Set<String> variables = new TreeSet<>(http.route().variables());
    Set<String> named = new TreeSet<>(policy.match().variables());
    if (http.route().isOpen() || !variables.equals(named)) {
      problems.add(
          new PolicyProblem(
              pointer + "/route",
              "'" + http.route() + "'",
              "with 'fencing: conditional' one URI per resource: no '**', and no variables but "
                  + named
                  + ", those of 'match'"));
    }
    if (!REPLACING.containsAll(http.methods())) {
      problems.add(
          new PolicyProblem(
              pointer + "/methods",
              http.methods().toString(),
              "with 'fencing: conditional' some of "
                  + REPLACING
                  + ": what POST creates and DELETE leaves has no version"));
    }
  }
}
