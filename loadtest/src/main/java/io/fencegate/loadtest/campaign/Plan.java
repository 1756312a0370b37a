/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What a campaign does.
 *
 * @param duration how long clients call
 * @param seed of clients' and faults' choices; what the machine makes of them differs each time
 * @param serverJar the gateway as users run it
 * @param directory for the gateways' files and the history
 */
public record Plan(
    Duration duration,
    int clients,
    int gateways,
    int nodes,
    long seed,
    Path serverJar,
    Path directory) {

  /** Few enough that everybody meets everybody; the first half is never waited for. */
  static final int RESOURCES = 4;

  static String resource(int number) {
    return "hot/" + number;
  }

  /** Where nobody waits in a queue, a refusal proves that somebody holds the lock. */
  static boolean isQueued(int number) {
    return number >= RESOURCES / 2;
  }
}
