/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A way from a caller to the service: one row of the table. */
enum Way {
  FENCED("Fencegate: fenced PUT", Guard.FENCING),
  FENCED_KEYED("Fencegate: fenced PUT with an Idempotency-Key", Guard.FENCING),
  FENCED_BARE("Fencegate: fenced PUT without a body", Guard.FENCING),
  UNFENCED("Fencegate: GET, which is not fenced", Guard.NOBODY),
  NGINX("nginx: plain proxy of the PUT", Guard.NOBODY),
  NGINX_AUTH("nginx: auth_request, service on the same core", Guard.CHECK_SERVICE),
  NGINX_AUTH_APART("nginx: auth_request, service on the other core", Guard.CHECK_SERVICE);

  /** Who looks at a request's token. */
  enum Guard {
    FENCING,
    CHECK_SERVICE,
    NOBODY
  }

  private final String title;
  private final Guard guard;

  Way(String title, Guard guard) {
    this.title = title;
    this.guard = guard;
  }

  /** For people. */
  String title() {
    return title;
  }

  Guard guard() {
    return guard;
  }

  /** For options and JSON, such as {@code fenced-bare}. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Optional<Way> of(String key) {
    return Arrays.stream(values()).filter(way -> way.key().equals(key)).findFirst();
  }
}
