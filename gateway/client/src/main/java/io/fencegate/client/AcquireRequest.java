/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One wish for one lock. It has an id of its own from the start, so the same object may be handed
 * to {@link FencegateClient#acquire} again after an unclear end and is still the same acquire; for
 * a new hold make a new request. Immutable.
 *
 * @param resource what to lock
 * @param requestId the id under which a repeat is recognised
 * @param holder who asks, for people; null: nobody named
 * @param ttl how long the lease is to last without renewal; null: the gateway's default
 * @param patience how long to go on asking while somebody else holds the lock. The waiting is done
 *     in this process: the gateway's own queue is not used, so the order of arrival does not count
 * @param metadata for people who look at the lock; at most 2 KiB as JSON
 */
public record AcquireRequest(
    ResourceName resource,
    RequestId requestId,
    @Nullable HolderId holder,
    @Nullable Duration ttl,
    Duration patience,
    Map<String, String> metadata) {

  public AcquireRequest {
    if (ttl != null && (ttl.isNegative() || ttl.isZero())) {
      throw new IllegalArgumentException("ttl " + ttl + ", expected more than nothing");
    }
    if (patience.isNegative()) {
      throw new IllegalArgumentException("patience " + patience + ", expected nothing or more");
    }
    metadata = Map.copyOf(metadata);
  }

  /**
   * A request with an unguessable id, the gateway's default TTL and no patience.
   *
   * @throws IllegalArgumentException when the name does not follow the grammar of {@link
   *     ResourceName}
   */
  public static AcquireRequest of(String resource) {
    return new AcquireRequest(
        ResourceName.parse(resource).orThrow(),
        new RequestId(UUID.randomUUID().toString()),
        null,
        null,
        Duration.ZERO,
        Map.of());
  }

  /** The same wish by a named holder. */
  public AcquireRequest withHolder(String name) {
    return new AcquireRequest(
        resource, requestId, HolderId.parse(name).orThrow(), ttl, patience, metadata);
  }

  /** The same wish with this TTL; the gateway may round it up. */
  public AcquireRequest withTtl(Duration duration) {
    return new AcquireRequest(resource, requestId, holder, duration, patience, metadata);
  }

  /** The same wish, repeated for this long while the lock is held. */
  public AcquireRequest withPatience(Duration duration) {
    return new AcquireRequest(resource, requestId, holder, ttl, duration, metadata);
  }

  /** The same wish under an id of the caller's. */
  public AcquireRequest withRequestId(String id) {
    return new AcquireRequest(
        resource, RequestId.parse(id).orThrow(), holder, ttl, patience, metadata);
  }

  /** The same wish with something for people to see. */
  public AcquireRequest withMetadata(Map<String, String> forPeople) {
    return new AcquireRequest(resource, requestId, holder, ttl, patience, forPeople);
  }

  String body() {
    Map<String, Json> body = new LinkedHashMap<>();
    body.put("resource", new Json.Str(resource.value()));
    body.put("requestId", new Json.Str(requestId.value()));
    if (ttl != null) {
      body.put("leaseTtlMs", new Json.Num(Long.toString(ttl.toMillis())));
    }
    if (holder != null) {
      body.put("holder", new Json.Str(holder.value()));
    }
    if (!metadata.isEmpty()) {
      Map<String, Json> members = new LinkedHashMap<>();
      metadata.forEach((name, value) -> members.put(name, new Json.Str(value)));
      body.put("metadata", new Json.Obj(members));
    }
    return new Json.Obj(body).write();
  }
}
