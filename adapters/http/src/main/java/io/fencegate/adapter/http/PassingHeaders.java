/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.vertx.core.MultiMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The headers that pass, pure. What belongs to one connection stays on it (RFC 9110, 7.6.1),
 * framing is made anew, and nobody but the gateway speaks in {@code Fencing-} headers, in whatever
 * spelling a downstream may take for them.
 */
final class PassingHeaders {

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

  /** The gateway's own on the way there. */
  private static final Set<String> NOT_THERE = Set.of("host", "expect", "content-length");

  /** Judgements of the gateway that a downstream must not make up. */
  private static final Set<String> NOT_BACK = Set.of("idempotent-replayed");

  private static final String OURS = "fencing-";

  private PassingHeaders() {}

  /** On the way to the downstream. */
  static MultiMap there(MultiMap given) {
    return passing(given, NOT_THERE);
  }

  /** On the way back to the caller. */
  static MultiMap back(MultiMap given) {
    return passing(given, NOT_BACK);
  }

  private static MultiMap passing(MultiMap given, Set<String> more) {
    Set<String> nominated = nominated(given.getAll("Connection"));
    MultiMap passing = MultiMap.caseInsensitiveMultiMap();
    for (Map.Entry<String, String> header : given) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      boolean stays =
          HOP_BY_HOP.contains(name)
              || more.contains(name)
              || nominated.contains(name)
              || name.replace('_', '-').startsWith(OURS);
      if (!stays) {
        passing.add(header.getKey(), header.getValue());
      }
    }
    return passing;
  }

  private static Set<String> nominated(List<String> connection) {
    Set<String> names = new HashSet<>();
    for (String line : connection) {
      for (String name : line.split(",", -1)) {
        names.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }
}
