/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.relay;

import io.fencegate.adapter.spi.EndToEndHeaders;
import io.vertx.core.MultiMap;
import java.util.Locale;
import java.util.Set;

/** The headers of a relayed request and of its answer, pure. */
final class HopHeaders {

  static final String DEADLINE = "Fencing-Deadline-Ms";
  private static final String KEY = "idempotency-key";
  private static final String FENCING = "fencing-";
  private static final String DECISION = "Fencing-Decision";

  private static final Set<String> MADE_ANEW =
      Set.of("host", "expect", "content-length", HopHeader.NAME.toLowerCase(Locale.ROOT));

  /**
   * What a gateway says that is not, or not any more, the one to carry a request out; no downstream
   * can say it, as none speaks in {@code Fencing-} headers.
   */
  private static final Set<String> DECLINED =
      Set.of("rejected;reason=\"handover\"", "rejected;reason=\"draining\"");

  private HopHeaders() {}

  /**
   * All that passes on, and by when the other gateway has to be done. What the request is judged by
   * passes whatever {@code Connection} says of it: it is the other gateway that judges.
   *
   * @param remainingMillis 1 or more
   */
  static MultiMap there(MultiMap given, HopHeader hop, long remainingMillis) {
    MultiMap passing = EndToEndHeaders.of(given, MADE_ANEW::contains);
    for (String name : given.names()) {
      if (isJudgedBy(name.toLowerCase(Locale.ROOT)) && !passing.contains(name)) {
        passing.add(name, given.getAll(name));
      }
    }
    passing.set(DEADLINE, Long.toString(remainingMillis));
    passing.set(HopHeader.NAME, hop.text());
    return passing;
  }

  private static boolean isJudgedBy(String name) {
    return name.startsWith(FENCING) || name.equals(KEY);
  }

  static MultiMap back(MultiMap given) {
    return EndToEndHeaders.of(given, name -> false);
  }

  /** Whether an answer's head says that the request was left alone and belongs elsewhere. */
  static boolean decline(MultiMap answer) {
    String decision = answer.get(DECISION);
    return decision != null && DECLINED.contains(decision);
  }
}
