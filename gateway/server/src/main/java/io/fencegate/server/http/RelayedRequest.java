/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.server.relay.Relay;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;

/**
 * A request as it came, that may belong to another gateway: its body is on the wire, and the answer
 * that comes back for it is passed on as it is.
 */
final class RelayedRequest {

  private final ProxiedRequest request;
  private final CallerBody body;

  private RelayedRequest(RoutingContext context, RequestGate gate, CallerBody body) {
    HttpServerRequest came = context.request();
    this.body = body;
    this.request =
        new ProxiedRequest(
            came.method().name(),
            came.uri(),
            came.headers(),
            body,
            new HttpCaller(context, gate, (response, status) -> response.setStatusCode(status)));
  }

  /** In the request's first turn; a body that comes in chunks is measured where it is read. */
  static Ruling<RelayedRequest> of(RoutingContext context, RequestGate gate, long maxBytes) {
    HttpServerRequest request = context.request();
    return BodyFraming.length(request, maxBytes)
        .map(length -> of(context, gate, new CallerBody(request, length)));
  }

  static RelayedRequest of(RoutingContext context, RequestGate gate, CallerBody body) {
    return new RelayedRequest(context, gate, body);
  }

  Relay.Errand errand(ResourceName resource, boolean owned, long deadlineNanos) {
    return new Relay.Errand(resource, request, owned, deadlineNanos);
  }

  /** Whatever nobody has read is taken from the wire. */
  void discard() {
    body.discard();
  }
}
