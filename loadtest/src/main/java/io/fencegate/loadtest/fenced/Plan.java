/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;

/**
 * What is measured, the same for all rows.
 *
 * @param rounds of each row, 1 to 100
 * @param roundLength how long each lasts, 1 s to 5 min
 * @param warmUp of each row before the first round, 1 s to 5 min
 * @param connections of the generator, each with one request at a time; 1 to 500
 * @param resources that are written to in turn, 1 to 10,000
 * @param bodyBytes of each write, 1 to 65,536
 * @param cores where everything runs
 */
record Plan(
    int rounds,
    Duration roundLength,
    Duration warmUp,
    int connections,
    int resources,
    int bodyBytes,
    Cores cores) {

  private static final int MAX_ROUNDS = 100;
  private static final Duration LONGEST = Duration.ofMinutes(5);

  /** A gateway's pool may have 1,000 connections to its downstream. */
  private static final int MAX_CONNECTIONS = 500;

  /** Each has a lock that is renewed every ten seconds, one after the other. */
  private static final int MAX_RESOURCES = 10_000;

  private static final int MAX_BODY_BYTES = 65_536;

  /** Why it cannot be measured; empty where it can. */
  Optional<String> objection() {
    if (rounds < 1 || rounds > MAX_ROUNDS) {
      return Optional.of(rounds + " rounds were given, expected 1 to " + MAX_ROUNDS);
    }
    if (isNoTime(roundLength) || isNoTime(warmUp)) {
      return Optional.of(
          "a round of %s after a warm-up of %s was given, expected 1s to %ds each"
              .formatted(roundLength, warmUp, LONGEST.toSeconds()));
    }
    if (connections < 1 || connections > MAX_CONNECTIONS) {
      return Optional.of(connections + " connections were given, expected 1 to " + MAX_CONNECTIONS);
    }
    if (resources < 1 || resources > MAX_RESOURCES) {
      return Optional.of(resources + " resources were given, expected 1 to " + MAX_RESOURCES);
    }
    if (bodyBytes < 1 || bodyBytes > MAX_BODY_BYTES) {
      return Optional.of(
          "bodies of " + bodyBytes + " bytes were given, expected 1 to " + MAX_BODY_BYTES);
    }
    return Optional.empty();
  }

  void putInto(ObjectNode json) {
    json.put("rounds", rounds)
        .put("roundSeconds", roundLength.toSeconds())
        .put("warmUpSeconds", warmUp.toSeconds())
        .put("connections", connections)
        .put("resources", resources)
        .put("bodyBytes", bodyBytes)
        .put("proxyCore", cores.proxy())
        .put("loadCore", cores.load());
  }

  private static boolean isNoTime(Duration given) {
    return given.compareTo(Duration.ofSeconds(1)) < 0 || given.compareTo(LONGEST) > 0;
  }
}
