/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The script that wrk runs: it sends these requests in turn. Their bytes are made here, so that the
 * generator has next to nothing to do for each. At its end it prints the line that {@link
 * WrkFigures} reads. Pure.
 */
final class WrkScript {

  private static final String REQUESTS =
      """
      local requests = {
      %s
      }
      local count = #requests
      local last = 0

      function request()
        last = last %% count + 1
        return requests[last]
      end
      """;

  private static final String KEYED_REQUESTS =
      """
      local heads = {
      %s
      }
      local bodies = {
      %s
      }
      local count = #heads
      local sent = 0

      function request()
        sent = sent + 1
        local next = sent %% count + 1
        return heads[next] .. "Idempotency-Key: %s-" .. sent .. "\\r\\n\\r\\n" .. bodies[next]
      end
      """;

  private static final String DONE =
      """

      function done(summary, latency, requests)
        local errors = summary.errors
        io.write(string.format(
          "%s requests=%%d micros=%%d p50=%%d p99=%%d max=%%d connect=%%d read=%%d write=%%d status=%%d timeout=%%d\\n",
          summary.requests, summary.duration,
          latency:percentile(50), latency:percentile(99), latency.max,
          errors.connect, errors.read, errors.write, errors.status, errors.timeout))
      end
      """
          .formatted(WrkFigures.MARK);

  private WrkScript() {}

  /** Sends each of them again and again. */
  static String of(List<Request> requests) {
    return REQUESTS.formatted(table(requests.stream().map(Request::text).toList())) + DONE;
  }

  /**
   * Gives each request that is sent a key of its own.
   *
   * @param run in front of each key; letters and digits, another one for each run
   */
  static String withKeys(List<Request> requests, String run) {
    return KEYED_REQUESTS.formatted(
            table(requests.stream().map(Request::head).toList()),
            table(requests.stream().map(Request::body).toList()),
            run)
        + DONE;
  }

  private static String table(List<String> texts) {
    return texts.stream().map(text -> "  " + quoted(text)).collect(Collectors.joining(",\n"));
  }

  private static String quoted(String text) {
    return '"'
        + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\r", "\\r").replace("\n", "\\n")
        + '"';
  }
}
