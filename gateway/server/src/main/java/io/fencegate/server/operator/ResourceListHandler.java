/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.operator;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.operator.ResourceDirectory;
import io.fencegate.coordination.operator.ResourceDirectory.Listed;
import io.fencegate.coordination.operator.ResourceDirectory.Listing;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.server.http.OutcomeHttp;
import io.fencegate.server.policy.MatchedPolicy;
import io.fencegate.server.policy.PolicyLibrary;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code GET resources}: what the coordinator knows of, with what is promised about it. */
final class ResourceListHandler {

  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_PREFIX = 256;

  private final ResourceDirectory directory;
  private final PolicyLibrary policies;

  ResourceListHandler(ResourceDirectory directory, PolicyLibrary policies) {
    this.directory = directory;
    this.policies = policies;
  }

  private record Question(String prefix, @Nullable ResourceName after, int limit) {}

  void list(RoutingContext context) {
    question(context)
        .fold(
            asked -> directory.list(asked.prefix(), asked.after(), asked.limit()),
            refusal -> Future.succeededFuture(Ruling.<Listing>refused(refusal)))
        .compose(
            ruling ->
                ruling.fold(
                    listing -> OutcomeHttp.ok(context.response(), json(listing)),
                    refusal -> OutcomeHttp.refuse(context.response(), refusal, null)))
        .onFailure(context::fail);
  }

  private static Ruling<Question> question(RoutingContext context) {
    String prefix = context.request().getParam("prefix", "");
    String cursor = context.request().getParam("cursor", "");
    String limit = context.request().getParam("limit", Integer.toString(DEFAULT_LIMIT));
    if (prefix.length() > MAX_PREFIX || !prefix.matches("[A-Za-z0-9._~/-]*")) {
      return Ruling.refused(unusable("prefix", "the beginning of a resource name"));
    }
    if (!limit.matches("[1-9][0-9]{0,2}")) {
      return Ruling.refused(unusable("limit", "1 to 999"));
    }
    int most = Integer.parseInt(limit);
    return cursor.isEmpty()
        ? Ruling.granted(new Question(prefix, null, most))
        : ResourceName.parse(cursor)
            .fold(
                after -> Ruling.granted(new Question(prefix, after, most)),
                bad -> Ruling.refused(unusable("cursor", "what 'next' of the last page was")));
  }

  private static Refusal unusable(String field, String expected) {
    return RefusalCode.INVALID_REQUEST.because(field + ": expected " + expected).atField(field);
  }

  private JsonObject json(Listing listing) {
    List<Listed> resources = listing.resources();
    JsonArray list = new JsonArray();
    resources.forEach(listed -> list.add(json(listed)));
    String next =
        listing.more() && !resources.isEmpty()
            ? resources.get(resources.size() - 1).resource().value()
            : null;
    return new JsonObject().put("resources", list).put("next", next);
  }

  private JsonObject json(Listed listed) {
    Optional<MatchedPolicy> matched =
        policies.active().match(listed.resource()).fold(Optional::of, refusal -> Optional.empty());
    return new JsonObject()
        .put("resource", listed.resource().value())
        .put("policy", matched.map(it -> it.policy().name().value()).orElse(null))
        .put(
            "enforcement",
            matched.map(it -> it.policy().fencing().enforcement().wireName()).orElse(null))
        .put("guarantee", matched.map(it -> it.kept().guarantee().wireName()).orElse(null))
        .put("epochSource", listed.epoch().map(EpochRecord::source).orElse(null))
        .put("epoch", listed.epoch().map(it -> it.raised().toString()).orElse(null))
        .put("held", listed.holder().isPresent())
        .put("fencingToken", listed.holder().map(FencingToken::toString).orElse(null));
  }
}
