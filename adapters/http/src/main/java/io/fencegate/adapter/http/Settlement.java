/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import java.util.Set;

/**
 * Which statuses say that the downstream has done with a request, be it carried out or refused. A
 * 202 promises to go on, 408, 425 and 429 come from parts in front of the one that works, and after
 * a 5xx nobody knows what goes on behind it.
 */
final class Settlement {

  private static final Set<Integer> OPEN = Set.of(202, 408, 425, 429);
  private static final int FIRST_FINAL = 200;
  private static final int FIRST_REDIRECTION = 300;
  private static final int FIRST_SERVER_ERROR = 500;

  private Settlement() {}

  static boolean succeeds(int status) {
    return status >= FIRST_FINAL && status < FIRST_REDIRECTION;
  }

  static boolean settles(int status) {
    return status >= FIRST_FINAL && status < FIRST_SERVER_ERROR && !OPEN.contains(status);
  }
}
