/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

/**
 * Callers that send their body only when they are told to go on ({@code Expect: 100-continue}):
 * they are told when somebody is about to read it, and not before a refusal that needs no body.
 */
final class Expectation {

  private Expectation() {}

  /** Whether the caller waits to be told. */
  static boolean isOpen(HttpServerRequest request) {
    return request.getHeader(HttpHeaders.EXPECT) != null;
  }

  static void meet(HttpServerRequest request) {
    if (isOpen(request)) {
      request.response().writeContinue();
    }
  }
}
