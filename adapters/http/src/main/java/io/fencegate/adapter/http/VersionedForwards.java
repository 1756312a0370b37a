/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.ForwardOutcome;
import io.fencegate.adapter.spi.ForwardPreparation;
import io.fencegate.adapter.spi.LastLook;
import io.fencegate.adapter.spi.PreparedForward;
import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Optional;

/**
 * Writes that name the version which they replace ({@code If-Match}, RFC 9110 section 13.1.1). The
 * version is read anew for every write, right before its token is confirmed: one that another
 * gateway's write has replaced meanwhile would only be refused. Used from one context.
 */
final class VersionedForwards implements ForwardPreparation {

  private final HttpAdapter adapter;
  private final OneByOne places;

  VersionedForwards(HttpAdapter adapter, AdapterContext context) {
    this.adapter = adapter;
    this.places = new OneByOne(context);
  }

  @Override
  public Future<Ruling<PreparedForward>> prepare(ProxiedRequest request, long deadlineNanos) {
    Optional<Refusal> objection = objection(request);
    if (objection.isPresent()) {
      return Future.succeededFuture(Ruling.refused(objection.get()));
    }
    return places
        .enter(request.target(), deadlineNanos)
        .compose(
            entered ->
                entered.fold(
                    place -> look(request, place, deadlineNanos),
                    refusal -> Future.succeededFuture(Ruling.refused(refusal))));
  }

  /** Another URI has other versions, and so has one that is not there. */
  private static Optional<Refusal> objection(ProxiedRequest request) {
    if (request.target().indexOf('?') >= 0) {
      return Optional.of(
          RefusalCode.INVALID_REQUEST
              .because("a query was given: the resource is the URI without one")
              .atField("query"));
    }
    return request.headers().contains(HttpHeaders.IF_NONE_MATCH)
        ? Optional.of(
            RefusalCode.INVALID_REQUEST
                .because("If-None-Match was given, expected at most If-Match")
                .atField("If-None-Match"))
        : Optional.empty();
  }

  private Future<Ruling<PreparedForward>> look(
      ProxiedRequest request, OneByOne.Place place, long deadlineNanos) {
    VersionLook look = new VersionLook(request);
    return adapter
        .start(look.errand(deadlineNanos), LastLook.untilThen(deadlineNanos))
        .map(outcome -> look.version(outcome).then(it -> fits(request, it)))
        .map(version -> version.<PreparedForward>map(it -> new Bound(it, place)))
        .onComplete(
            done -> {
              if (done.failed() || done.result() instanceof Ruling.Refused) {
                place.leave();
              }
            });
  }

  /** Whether the version is the one that the caller means to replace, where it says so. */
  private static Ruling<String> fits(ProxiedRequest request, String version) {
    List<String> meant = request.headers().getAll(HttpHeaders.IF_MATCH);
    boolean fits =
        meant.isEmpty()
            || (meant.size() == 1 && (meant.get(0).equals(version) || meant.get(0).equals("*")));
    return fits
        ? Ruling.granted(version)
        : Ruling.refused(
            RefusalCode.OPERATION_FAILED
                .because(
                    "If-Match "
                        + String.join(", ", meant)
                        + " was given, the resource has "
                        + version)
                .atField("If-Match"));
  }

  private final class Bound implements PreparedForward {
    private final String version;
    private final OneByOne.Place place;

    Bound(String version, OneByOne.Place place) {
      this.version = version;
      this.place = place;
    }

    @Override
    public Future<ForwardOutcome> forward(
        Permit permit, ProxiedRequest request, long deadlineNanos, LastLook lastLook) {
      MultiMap headers = HttpAdapter.headers(permit, request);
      headers.set(HttpHeaders.IF_MATCH, version);
      return adapter.start(
          new Errand(request, headers, Errand.Kind.WRITE_OF_VERSION, deadlineNanos), lastLook);
    }

    @Override
    public void release() {
      place.leave();
    }
  }
}
