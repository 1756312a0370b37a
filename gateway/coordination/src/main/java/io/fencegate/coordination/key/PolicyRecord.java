/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.agreement.Recorded;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.model.Route;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.PolicyName;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A policy as all gateways share it, as text: a line {@code 1 in-force} or {@code 1 withdrawn}, the
 * number being the format's version, and one line {@code <name> <value>} for each of its terms.
 */
public final class PolicyRecord {

  private static final String IN_FORCE = "1 in-force";
  private static final String WITHDRAWN = "1 withdrawn";
  private static final String MATCH = "match";
  private static final String ROUTE = "route";

  private PolicyRecord() {}

  public static Value encode(Recorded recorded) {
    if (recorded instanceof Recorded.InForce it) {
      return Value.of(text(it.terms()));
    }
    if (recorded instanceof Recorded.Withdrawn) {
      return Value.of(WITHDRAWN + "\n");
    }
    throw new IllegalArgumentException("nobody puts what nobody can read");
  }

  private static String text(PolicyTerms terms) {
    StringBuilder text = new StringBuilder(IN_FORCE + "\n");
    line(text, MATCH, terms.match().toString());
    terms.route().ifPresent(route -> line(text, ROUTE, route.toString()));
    terms.others().forEach((name, value) -> line(text, name, value));
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(name).append(' ').append(value.replace('\n', ' ')).append('\n');
  }

  /** The record in a value; what cannot be read is {@link Recorded.Unreadable}. */
  public static Recorded decode(PolicyName name, Value value) {
    String text = new String(value.toBytes(), StandardCharsets.UTF_8);
    if (text.equals(WITHDRAWN + "\n")) {
      return new Recorded.Withdrawn();
    }
    String[] lines = text.split("\n", -1);
    if (!lines[0].equals(IN_FORCE) || !lines[lines.length - 1].isEmpty()) {
      return new Recorded.Unreadable();
    }
    Map<String, String> terms = new TreeMap<>();
    for (int i = 1; i < lines.length - 1; i++) {
      int end = lines[i].indexOf(' ');
      if (end <= 0) {
        return new Recorded.Unreadable();
      }
      terms.put(lines[i].substring(0, end), lines[i].substring(end + 1));
    }
    return decode(name, terms);
  }

  private static Recorded decode(PolicyName name, Map<String, String> terms) {
    Optional<ResourcePattern> match =
        Optional.ofNullable(terms.remove(MATCH)).flatMap(it -> valid(ResourcePattern.parse(it)));
    Optional<String> routeText = Optional.ofNullable(terms.remove(ROUTE));
    Optional<Route> route = routeText.flatMap(it -> valid(Route.parse(it)));
    boolean readable = match.isPresent() && route.isPresent() == routeText.isPresent();
    return readable
        ? new Recorded.InForce(new PolicyTerms(name, match.orElseThrow(), route, terms))
        : new Recorded.Unreadable();
  }

  private static <T> Optional<T> valid(Parsed<T> parsed) {
    return parsed.fold(Optional::of, bad -> Optional.empty());
  }
}
