/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;

/** What to do about a refusal, for people at a prompt. */
final class Advice {

  private static final Map<String, String> BY_CODE =
      Map.ofEntries(
          Map.entry(
              "not-sent",
              "start a gateway there (fencegate serve), or say where one is (--help names the"
                  + " option and the variable)"),
          Map.entry("frozen", "see which freezes are in force, and why (fencegate freezes)"),
          Map.entry("lock-held", "wait for it (--wait 30s), or see who holds it (lock show)"),
          Map.entry("wait-timeout", "wait for longer, or see who holds it (lock show)"),
          Map.entry("too-many-waiters", "come back later: the queue is full"),
          Map.entry("lease-lost", "stop what runs under this lease, and acquire anew"),
          Map.entry(
              "unknown-resource",
              "no policy matches: mind the spelling, or have one added (fencegate policy check)"),
          Map.entry("request-id-reused", "leave --request-id out: a new acquire needs a new one"),
          Map.entry(
              "not-found",
              "this gateway does not know the call: is it the right port, and as new as this"
                  + " command?"),
          Map.entry("stale-token", "stop: a newer holder is at work"),
          Map.entry("token-not-issued", "give the token that 'lock show' answers"));

  private Advice() {}

  static Optional<String> on(JsonObject problem) {
    String known = BY_CODE.get(String.valueOf(problem.getValue("code")));
    if (known != null) {
      return Optional.of(known);
    }
    return problem.getValue("retryAfterMs") instanceof Number millis
        ? Optional.of("try again in " + Math.max(1, (millis.longValue() + 999) / 1000) + " s")
        : Optional.empty();
  }
}
