/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.coordination.lock.LockService;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.observe.LockObserver;
import io.fencegate.server.policy.ActivePolicies;
import io.fencegate.server.relay.Relay;
import io.fencegate.server.write.WriteService;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All that the worker port serves. */
public final class WorkerApi {

  private static final Logger LOG = LoggerFactory.getLogger(WorkerApi.class);

  private WorkerApi() {}

  /** What the endpoints stand on. */
  public record Parts(
      Vertx vertx,
      LockService locks,
      WriteService writes,
      ActivePolicies policies,
      Clocks clocks,
      LockObserver observer,
      RequestGate gate,
      Relay relay) {}

  public static Router router(Parts parts) {
    LockHandler locks =
        new LockHandler(
            parts.locks(), parts.policies(), parts.clocks(), parts.observer(), parts.gate());
    WriteHandler writes = new WriteHandler(parts);
    RecordHandler records =
        new RecordHandler(parts.policies(), parts.writes().records(), parts.clocks());
    Router router = Router.router(parts.vertx());
    router.route().handler(parts.gate()::handle);
    router.post("/v1/locks/acquire").handler(locks::acquire);
    router.post("/v1/locks/cancel").handler(locks::cancel);
    router.post("/v1/locks/renew").handler(locks::renew);
    router.post("/v1/locks/release").handler(locks::release);
    router.get("/v1/locks/*").handler(locks::show);
    router.post("/v1/write/*").handler(writes::write);
    router.post("/v1/seal/*").handler(writes::seal);
    router.get("/v1/writes/*").handler(records::show);
    router.post("/v1/writes/*").handler(records::close);
    ProxyHandler proxied = new ProxyHandler(parts);
    router.routeWithRegex(ProxyHandler.NOT_OURS).handler(proxied::handle);
    answerErrors(router);
    return router;
  }

  /** What is no HTTP request at all, or one whose head is too large. */
  public static void malformed(HttpServerRequest request) {
    DecoderResult decoded = request.decoderResult();
    boolean tooLarge =
        decoded.cause() instanceof TooLongHttpHeaderException
            || decoded.cause() instanceof TooLongHttpLineException;
    RefusalCode code = tooLarge ? RefusalCode.HEADERS_TOO_LARGE : RefusalCode.INVALID_REQUEST;
    OutcomeHttp.refuse(
            request.response(), code.because("the request's head could not be read"), null)
        .onComplete(unused -> request.connection().close());
  }

  /**
   * What no handler took, and what one could not cope with, in the same words as everything else.
   */
  public static void answerErrors(Router router) {
    router.errorHandler(404, context -> refuse(context, notFound(context.request().path())));
    router.errorHandler(405, context -> refuseMethod(context, router));
    router.errorHandler(
        400, context -> refuse(context, RefusalCode.INVALID_REQUEST.because("malformed request")));
    router.errorHandler(500, WorkerApi::defect);
  }

  private static Refusal notFound(String path) {
    return RefusalCode.NOT_FOUND.because("there is nothing at " + Parsed.show(path));
  }

  private static void refuseMethod(RoutingContext context, Router router) {
    String allowed = allowedMethods(router, context.normalizedPath());
    context.response().putHeader(HttpHeaders.ALLOW, allowed);
    refuse(
        context,
        RefusalCode.METHOD_NOT_ALLOWED.because(
            "method "
                + Parsed.show(context.request().method().name())
                + " was given, expected one of "
                + allowed));
  }

  private static String allowedMethods(Router router, String path) {
    return router.getRoutes().stream()
        .filter(route -> takes(route, path))
        .flatMap(route -> route.methods().stream())
        .map(HttpMethod::name)
        .distinct()
        .sorted()
        .collect(Collectors.joining(", "));
  }

  private static boolean takes(Route route, String path) {
    String own = route.getPath();
    return route.methods() != null
        && own != null
        && (route.isExactPath() ? path.equals(own) : path.startsWith(own));
  }

  private static void defect(RoutingContext context) {
    LOG.error("a request met a defect", context.failure());
    refuse(context, RefusalCode.INTERNAL_ERROR.because("see the gateway's log"));
  }

  private static void refuse(RoutingContext context, Refusal refusal) {
    OutcomeHttp.refuse(context.response(), refusal, null);
  }
}
