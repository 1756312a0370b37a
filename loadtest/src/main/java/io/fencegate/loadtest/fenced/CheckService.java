/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What people let nginx ask today: a small service that remembers the highest token of each
 * resource, in memory, and says 204 to whoever shows one at least as high, else 403. It knows of no
 * leases and remembers nothing across a restart, so it does less than a gateway. A process of its
 * own, on one event loop.
 */
final class CheckService {

  /** The header with the path of the request that is checked. */
  static final String ORIGINAL_TARGET = "X-Original-URI";

  /** In front of the port that it prints once it listens. */
  static final String READY = "check service: ";

  private static final int YES = 204;
  private static final int NO = 403;
  private static final int UNABLE = 3;

  private final Map<String, Long> highest = new HashMap<>();

  /** Runs until it is ended. */
  public static void main(String[] arguments) {
    CheckService service = new CheckService();
    Vertx.vertx()
        .createHttpServer()
        .requestHandler(service::check)
        .listen(0, "127.0.0.1")
        .onSuccess(server -> System.out.println(READY + server.actualPort()))
        .onFailure(
            cause -> {
              System.err.println("cannot listen: " + cause);
              System.exit(UNABLE);
            });
  }

  private void check(HttpServerRequest request) {
    boolean yes =
        isUpToDate(request.getHeader(ORIGINAL_TARGET), request.getHeader("Fencing-Token"));
    request.response().setStatusCode(yes ? YES : NO).end();
  }

  private boolean isUpToDate(@Nullable String target, @Nullable String token) {
    if (target == null || token == null) {
      return false;
    }
    long given;
    try {
      given = Long.parseLong(token);
    } catch (NumberFormatException malformed) {
      return false;
    }
    return highest.merge(resource(target), given, Math::max) == given;
  }

  /** The first two segments: {@code /ledger/7/entries} is of {@code ledger/7}. */
  private static String resource(String target) {
    int second = target.indexOf('/', 1);
    int third = second < 0 ? -1 : target.indexOf('/', second + 1);
    return target.substring(1, third < 0 ? target.length() : third);
  }
}
