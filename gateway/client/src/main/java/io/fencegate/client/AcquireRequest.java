/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * One wish for one lock. It has an id of its own from the start, so the same object may be handed
 * to {@link FencegateClient#acquire} again after an unclear end and is still the same acquire; for
 * a new hold make a new request. Immutable.
 *
 * @param resource what to lock
 * @param requestId the id under which a repeat is recognised
 * @param options how it is wanted
 */
public record AcquireRequest(ResourceName resource, RequestId requestId, AcquireOptions options) {

  /**
   * A request with an unguessable id, the gateway's default TTL and no patience.
   *
   * @throws IllegalArgumentException when the name does not follow the grammar of {@link
   *     ResourceName}
   */
  public static AcquireRequest of(String resource) {
    return of(ResourceName.parse(resource).orThrow(), AcquireOptions.DEFAULTS);
  }

  /** A request with an unguessable id. */
  public static AcquireRequest of(ResourceName resource, AcquireOptions options) {
    return new AcquireRequest(resource, new RequestId(UUID.randomUUID().toString()), options);
  }

  /** The same wish by a named holder. */
  public AcquireRequest withHolder(String name) {
    return with(options.withHolder(name));
  }

  /** The same wish with this TTL; the gateway may round it up. */
  public AcquireRequest withTtl(Duration duration) {
    return with(options.withTtl(duration));
  }

  /** The same wish, asked again for this long; see {@link AcquireOptions#withPatience}. */
  public AcquireRequest withPatience(Duration duration) {
    return with(options.withPatience(duration));
  }

  /** The same wish, queued for this long; see {@link AcquireOptions#withWait}. */
  public AcquireRequest withWait(Duration duration) {
    return with(options.withWait(duration));
  }

  /** The same wish with something for people to see. */
  public AcquireRequest withMetadata(Map<String, String> forPeople) {
    return with(options.withMetadata(forPeople));
  }

  /** The same wish with other options. */
  public AcquireRequest with(AcquireOptions others) {
    return new AcquireRequest(resource, requestId, others);
  }

  /** The same wish under an id of the caller's. */
  public AcquireRequest withRequestId(String id) {
    return new AcquireRequest(resource, RequestId.parse(id).orThrow(), options);
  }

  /** The body of one call; the wait is no part of what a repeat has to have in common. */
  String body(long waitMillis) {
    Map<String, Json> body = new LinkedHashMap<>(names());
    body.putAll(options.members());
    if (waitMillis > 0) {
      body.put("waitTimeoutMs", new Json.Num(Long.toString(waitMillis)));
    }
    return new Json.Obj(body).write();
  }

  /** The body of the call that takes it back. */
  String cancelBody() {
    return new Json.Obj(names()).write();
  }

  private Map<String, Json> names() {
    Map<String, Json> names = new LinkedHashMap<>();
    names.put("resource", new Json.Str(resource.value()));
    names.put("requestId", new Json.Str(requestId.value()));
    return names;
  }
}
