/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.vertx.core.MultiMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The headers of a message that pass on to the next connection, pure. What belongs to one
 * connection, by its name or because {@code Connection} names it, stays there (RFC 9110, 7.6.1).
 */
public final class EndToEndHeaders {

  private static final Set<String> HOP_BY_HOP =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "proxy-authorization",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private EndToEndHeaders() {}

  /**
   * A copy without what stays; every value keeps its place.
   *
   * @param alsoStays given a name in lower case
   */
  public static MultiMap of(MultiMap given, Predicate<String> alsoStays) {
    Set<String> nominated = nominated(given.getAll("Connection"));
    MultiMap passing = MultiMap.caseInsensitiveMultiMap();
    for (Map.Entry<String, String> header : given) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      boolean stays = HOP_BY_HOP.contains(name) || nominated.contains(name) || alsoStays.test(name);
      if (!stays) {
        passing.add(header.getKey(), header.getValue());
      }
    }
    return passing;
  }

  private static Set<String> nominated(List<String> connection) {
    if (connection.isEmpty()) {
      return Set.of();
    }
    Set<String> names = new HashSet<>();
    for (String line : connection) {
      for (String name : line.split(",", -1)) {
        names.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }
}
