/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.name.HolderId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is wanted, whichever it is. Immutable.
 *
 * @param holder who asks, for people; null: nobody named
 * @param ttl how long the lease is to last without renewal; null: the gateway's default
 * @param patience how long to go on while somebody else holds the lock
 * @param waiting how the patience is spent; without any there is no queueing
 * @param metadataJson a JSON object for people who look at the lock; at most 2 KiB
 */
public record AcquireOptions(
    @Nullable HolderId holder,
    @Nullable Duration ttl,
    Duration patience,
    Waiting waiting,
    String metadataJson) {

  /** Patience beyond this is the same as for ever, and fits every clock. */
  private static final Duration MAX_PATIENCE = Duration.ofDays(365);

  /** Nobody named, the gateway's TTL, no patience, no metadata. */
  public static final AcquireOptions DEFAULTS =
      new AcquireOptions(null, null, Duration.ZERO, Waiting.ASKING_AGAIN, "{}");

  public AcquireOptions {
    if (ttl != null && (ttl.isNegative() || ttl.isZero())) {
      throw new IllegalArgumentException("ttl " + ttl + ", expected more than nothing");
    }
    if (patience.isNegative()) {
      throw new IllegalArgumentException("patience " + patience + ", expected nothing or more");
    }
    patience = patience.compareTo(MAX_PATIENCE) > 0 ? MAX_PATIENCE : patience;
    waiting = patience.isZero() ? Waiting.ASKING_AGAIN : waiting;
    metadataJson = object(metadataJson).write();
  }

  private static Json.Obj object(String json) {
    try {
      if (JsonReader.read(json) instanceof Json.Obj object) {
        return object;
      }
    } catch (JsonReader.Malformed e) {
      throw new IllegalArgumentException("metadata: " + e.getMessage(), e);
    }
    throw new IllegalArgumentException("metadata: expected a JSON object");
  }

  /** The same for a named holder: at most 128 bytes without control characters. */
  public AcquireOptions withHolder(String name) {
    return new AcquireOptions(HolderId.parse(name).orThrow(), ttl, patience, waiting, metadataJson);
  }

  /** The same with this TTL; the gateway may round it up. */
  public AcquireOptions withTtl(Duration duration) {
    return new AcquireOptions(holder, duration, patience, waiting, metadataJson);
  }

  /** The same, asking again for this long while the lock is held; takes no place in the queue. */
  public AcquireOptions withPatience(Duration duration) {
    return new AcquireOptions(holder, ttl, duration, Waiting.ASKING_AGAIN, metadataJson);
  }

  /**
   * The same, waiting for this long in the gateway's queue. Any length will do: it is cut into
   * requests that proxies let live, and the place in the queue is kept from one to the next.
   */
  public AcquireOptions withWait(Duration duration) {
    return new AcquireOptions(holder, ttl, duration, Waiting.IN_QUEUE, metadataJson);
  }

  /** The same with something for people to see. */
  public AcquireOptions withMetadata(Map<String, String> forPeople) {
    Map<String, Json> members = new LinkedHashMap<>();
    forPeople.forEach((name, value) -> members.put(name, new Json.Str(value)));
    return withMetadataJson(new Json.Obj(members).write());
  }

  /**
   * The same with a JSON object for people to see.
   *
   * @throws IllegalArgumentException when the text is not one JSON object
   */
  public AcquireOptions withMetadataJson(String json) {
    return new AcquireOptions(holder, ttl, patience, waiting, json);
  }

  /** What these say in a request's body. */
  Map<String, Json> members() {
    Map<String, Json> members = new LinkedHashMap<>();
    if (ttl != null) {
      members.put("leaseTtlMs", new Json.Num(Long.toString(ttl.toMillis())));
    }
    if (holder != null) {
      members.put("holder", new Json.Str(holder.value()));
    }
    Json.Obj metadata = object(metadataJson);
    if (!metadata.members().isEmpty()) {
      members.put("metadata", metadata);
    }
    return members;
  }
}
