/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.WaitTerms;
import io.fencegate.policy.model.LeasePolicy;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.model.WaitingPolicy;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.LeaseId;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Lock requests from JSON, pure. */
final class LockRequestParser {

  private static final int MAX_METADATA_BYTES = 2 * 1024;

  private static final List<String> ACQUIRE =
      List.of("resource", "requestId", "leaseTtlMs", "waitTimeoutMs", "holder", "metadata");
  private static final List<String> RENEW = List.of("resource", "leaseId", "leaseTtlMs");
  private static final List<String> RELEASE = List.of("resource", "leaseId");
  private static final List<String> CANCEL = List.of("resource", "requestId");

  private LockRequestParser() {}

  /** An acquire whose policy is not known yet. */
  record Acquire(
      ResourceName resource,
      RequestId requestId,
      HolderId holder,
      Optional<Long> ttlMillis,
      long waitMillis,
      String metadataJson) {

    Ruling<AcquireRequest> under(ResourcePolicy policy, Principal principal) {
      return ttl(ttlMillis, policy.lease())
          .map(
              asked ->
                  new AcquireRequest(
                      resource,
                      principal,
                      requestId,
                      holder,
                      asked.orElse(policy.lease().ttl()),
                      metadataJson,
                      policy.acquire().dedupRetention()));
    }

    /** A wait beyond the policy's bound is cut to it: the caller asks again then. */
    WaitTerms wait(ResourcePolicy policy, Principal principal) {
      WaitingPolicy waiting = policy.acquire().waiting();
      long patienceMillis = Math.min(waitMillis, waiting.maxWait().toMillis());
      return new WaitTerms(
          Duration.ofMillis(patienceMillis), waiting.maxWaiters(), waiting.maxWaitersOf(principal));
    }
  }

  record Renew(ResourceName resource, LeaseId leaseId, Optional<Long> ttlMillis) {

    Ruling<Optional<Duration>> ttlUnder(ResourcePolicy policy) {
      return ttl(ttlMillis, policy.lease());
    }
  }

  record Release(ResourceName resource, LeaseId leaseId) {}

  record Cancel(ResourceName resource, RequestId requestId) {}

  static Ruling<Acquire> acquire(Buffer body) {
    return JsonFields.parse(body, ACQUIRE).then(LockRequestParser::acquire);
  }

  private static Ruling<Acquire> acquire(JsonFields fields) {
    Optional<ResourceName> resource = resource(fields);
    Optional<RequestId> requestId = requestId(fields);
    Optional<HolderId> holder = fields.text("holder", RefusalCode.INVALID_REQUEST, HolderId::parse);
    Optional<Long> ttl = fields.number("leaseTtlMs", 1, Long.MAX_VALUE);
    Optional<Long> wait = fields.number("waitTimeoutMs", 0, Long.MAX_VALUE);
    Optional<String> metadata = fields.objectText("metadata", MAX_METADATA_BYTES);
    return fields
        .problem()
        .map(Ruling::<Acquire>refused)
        .orElseGet(
            () ->
                Ruling.granted(
                    new Acquire(
                        resource.orElseThrow(),
                        requestId.orElseThrow(),
                        holder.orElse(HolderId.UNNAMED),
                        ttl,
                        wait.orElse(0L),
                        metadata.orElse("{}"))));
  }

  static Ruling<Renew> renew(Buffer body) {
    return JsonFields.parse(body, RENEW)
        .then(
            fields -> {
              Optional<ResourceName> resource = resource(fields);
              Optional<LeaseId> leaseId = leaseId(fields);
              Optional<Long> ttl = fields.number("leaseTtlMs", 1, Long.MAX_VALUE);
              return fields
                  .problem()
                  .map(Ruling::<Renew>refused)
                  .orElseGet(
                      () ->
                          Ruling.granted(
                              new Renew(resource.orElseThrow(), leaseId.orElseThrow(), ttl)));
            });
  }

  static Ruling<Release> release(Buffer body) {
    return JsonFields.parse(body, RELEASE)
        .then(
            fields -> {
              Optional<ResourceName> resource = resource(fields);
              Optional<LeaseId> leaseId = leaseId(fields);
              return fields
                  .problem()
                  .map(Ruling::<Release>refused)
                  .orElseGet(
                      () ->
                          Ruling.granted(
                              new Release(resource.orElseThrow(), leaseId.orElseThrow())));
            });
  }

  static Ruling<Cancel> cancel(Buffer body) {
    return JsonFields.parse(body, CANCEL)
        .then(
            fields -> {
              Optional<ResourceName> resource = resource(fields);
              Optional<RequestId> requestId = requestId(fields);
              return fields
                  .problem()
                  .map(Ruling::<Cancel>refused)
                  .orElseGet(
                      () ->
                          Ruling.granted(
                              new Cancel(resource.orElseThrow(), requestId.orElseThrow())));
            });
  }

  private static Optional<RequestId> requestId(JsonFields fields) {
    return fields.requiredText("requestId", RefusalCode.INVALID_REQUEST, RequestId::parse);
  }

  private static Optional<ResourceName> resource(JsonFields fields) {
    return fields.requiredText("resource", RefusalCode.INVALID_RESOURCE, ResourceName::parse);
  }

  private static Optional<LeaseId> leaseId(JsonFields fields) {
    return fields.requiredText("leaseId", RefusalCode.INVALID_REQUEST, LeaseId::parse);
  }

  private static Ruling<Optional<Duration>> ttl(Optional<Long> millis, LeasePolicy lease) {
    if (millis.isEmpty()) {
      return Ruling.granted(Optional.empty());
    }
    long least = LeasePolicy.MIN_TTL.toMillis();
    long most = lease.maxTtl().toMillis();
    if (millis.get() < least || millis.get() > most) {
      return Ruling.refused(
          RefusalCode.INVALID_REQUEST
              .because(
                  "leaseTtlMs: "
                      + millis.get()
                      + " was given, expected "
                      + least
                      + " to "
                      + most
                      + " (the policy's lease.maxTtl)")
              .atField("leaseTtlMs"));
    }
    return Ruling.granted(Optional.of(Duration.ofMillis(millis.get())));
  }
}
