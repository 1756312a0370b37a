/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.model.Operation;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.Parsed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What is wrong with the operations of a policy; pure. */
final class OperationCheck {

  /** What may change data and nothing else: no transaction control, no settings, no procedures. */
  private static final Set<String> ALLOWED =
      Set.of("INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "SELECT");

  private OperationCheck() {}

  static List<PolicyProblem> problems(String policyPointer, ResourcePolicy policy) {
    List<PolicyProblem> problems = new ArrayList<>();
    if (policy.operations().isEmpty()) {
      problems.add(
          new PolicyProblem(policyPointer, "no operation", "at least one under 'operations'"));
    }
    for (Operation operation : policy.operations().values()) {
      String pointer = policyPointer + "/operations/" + operation.name();
      checkParams(pointer, policy, operation, problems);
      checkSql(pointer + "/sql", policy, operation, problems);
    }
    return problems;
  }

  private static void checkParams(
      String pointer, ResourcePolicy policy, Operation operation, List<PolicyProblem> problems) {
    Set<String> used = NamedSql.parse(operation.sql()).names();
    for (Map.Entry<String, String> param : operation.params().entrySet()) {
      String at = pointer + "/params/" + param.getKey();
      String shown = Parsed.show(param.getKey());
      if (ParamType.named(param.getValue()).isEmpty()) {
        String type = "type " + Parsed.show(param.getValue());
        problems.add(new PolicyProblem(at, type, ParamType.names()));
      }
      if (policy.match().variables().contains(param.getKey())) {
        problems.add(
            new PolicyProblem(
                at,
                "parameter " + shown + " that is a variable of 'match' too",
                "another name: the gateway binds the variable itself"));
      }
      if (!used.contains(param.getKey())) {
        problems.add(
            new PolicyProblem(
                at, "parameter " + shown, "a name that the sql uses as :" + param.getKey()));
      }
    }
  }

  private static void checkSql(
      String at, ResourcePolicy policy, Operation operation, List<PolicyProblem> problems) {
    NamedSql sql = NamedSql.parse(operation.sql());
    if (!ALLOWED.contains(sql.keyword())) {
      problems.add(
          new PolicyProblem(
              at, "a statement that starts with " + Parsed.show(sql.keyword()), starts()));
    }
    if (sql.isSeveral()) {
      problems.add(
          new PolicyProblem(at, "several statements", "one: a write may call several operations"));
    }
    if (sql.isUnterminated()) {
      problems.add(new PolicyProblem(at, "a quote or comment without an end", "a whole statement"));
    }
    if (sql.isPositional()) {
      problems.add(new PolicyProblem(at, "a parameter like $1", "parameters like :name"));
    }
    for (String name : sql.names()) {
      if (!operation.params().containsKey(name) && !policy.match().variables().contains(name)) {
        problems.add(
            new PolicyProblem(
                at,
                "parameter " + Parsed.show(":" + name),
                "a declared parameter or a variable of 'match': " + known(policy, operation)));
      }
    }
  }

  private static String starts() {
    return "one of " + String.join(", ", new TreeSet<>(ALLOWED));
  }

  private static Set<String> known(ResourcePolicy policy, Operation operation) {
    Set<String> known = new TreeSet<>(policy.match().variables());
    known.addAll(operation.params().keySet());
    return known;
  }
}
