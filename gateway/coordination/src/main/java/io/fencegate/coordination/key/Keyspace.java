/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The keys in the coordinator. A resource is one percent-encoded segment, so that no range of one
 * resource contains a key of another; a principal is the first 16 hex digits of its SHA-256.
 *
 * <table>
 * <caption>layout, below the prefix</caption>
 * <tr><th>key</th><th>value</th><th>lease</th></tr>
 * <tr><td>{@code lock/R}</td><td>{@link LockRecord}</td><td>the lock's TTL class</td></tr>
 * <tr><td>{@code req/R/<p>.<requestId>}</td><td>{@link RequestRecord}; put once by the granting
 *     transaction, never changed: its modification revision is the lock's create revision</td>
 *     <td>deduplication class</td></tr>
 * <tr><td>{@code wait/R/<p>.<requestId>}</td><td>{@link WaitRecord}; create revisions are the
 *     order of the queue</td><td>a class of 5 s, moved on while the call waits</td></tr>
 * <tr><td>{@code reserve/R}</td><td>who alone may take the lock next; compared, not yet
 *     written</td><td>class</td></tr>
 * <tr><td>{@code epoch/R}</td><td>{@link EpochRecord}</td><td>none</td></tr>
 * <tr><td>{@code confirmed/R}</td><td>{@link EpochRecord}: the downstream confirmed it</td>
 *     <td>none</td></tr>
 * <tr><td>{@code source/R}</td><td>what raises {@code epoch/R}; absent where locks do</td>
 *     <td>none</td></tr>
 * <tr><td>{@code idem/R/<hash>}</td><td>{@link IdempotencyRecord} of a keyed write; the hash is the
 *     SHA-256 of the caller, where the policy's scope is {@code caller}, and the key</td>
 *     <td>class of the policy's retention, moved on with the outcome</td></tr>
 * <tr><td>{@code active/R}</td><td>{@link MarkRecord}: writes of that owner may be on their
 *     way</td><td>none</td></tr>
 * <tr><td>{@code unresolved/R/<id>}</td><td>{@link UnresolvedRecord}: what may still
 *     land</td><td>none</td></tr>
 * <tr><td>{@code slot/<n>}</td><td>{@link SlotRecord}: which session carries out the writes of the
 *     resources in it</td><td>none</td></tr>
 * <tr><td>{@code freeze/<id>}</td><td>{@link FreezeRecord}: writes that an operator has
 *     stopped</td><td>none</td></tr>
 * <tr><td>{@code drained/<freeze>/<session>}</td><td>{@code 1}: that gateway has nothing under way
 *     any more that the freeze stops; goes with the freeze</td><td>none</td></tr>
 * <tr><td>{@code policy/<name>}</td><td>{@link PolicyRecord}: the policy as all gateways share
 *     it</td><td>none</td></tr>
 * <tr><td>{@code gateway/<session>}</td><td>{@link SessionRecord}</td><td>session class</td></tr>
 * <tr><td>{@code meta/slots}</td><td>text: how resources are hashed to slots; put once</td>
 *     <td>none</td></tr>
 * <tr><td>{@code meta/epochs}</td><td>text: where all gateways keep epochs; put by the first one</td>
 *     <td>none</td></tr>
 * <tr><td>{@code meta/generation}</td><td>{@link GenerationRecord}</td><td>none</td></tr>
 * <tr><td>{@code meta/history-lost}</td><td>{@link HistoryLostRecord}: a gateway has noticed it;
 *     stays, and is void under a higher generation</td><td>none</td></tr>
 * <tr><td>{@code meta/gateway-key}</td><td>32 random bytes, the secret that gateways share; put
 *     once, by whoever is first</td><td>none</td></tr>
 * </table>
 */
public final class Keyspace {

  private static final int PRINCIPAL_HEX = 16;

  /** The last segment of a place. */
  private static final Pattern PLACE =
      Pattern.compile("[0-9a-f]{" + PRINCIPAL_HEX + "}\\.[A-Za-z0-9._~-]{1,128}");

  private static final Pattern SLOT_NUMBER = Pattern.compile("0|[1-9][0-9]{0,3}");

  private final String prefix;

  /** The same principal is asked for several times per call; whichever thread's stands here. */
  private volatile Hashed lastHashed = new Hashed(Principal.ANONYMOUS, hashed(Principal.ANONYMOUS));

  private record Hashed(Principal principal, String hash) {}

  /**
   * A key space under a prefix.
   *
   * @param prefix without a trailing slash, e.g. {@code fencegate}
   */
  public Keyspace(String prefix) {
    this.prefix = prefix + "/";
  }

  public Key lock(ResourceName resource) {
    return key("lock/" + resource.keySegment());
  }

  public KeyRange locks() {
    return KeyRange.under(prefix + "lock/");
  }

  /** The resource of a lock key; empty for a key that is none of Fencegate's. */
  public Optional<ResourceName> resourceOfLock(Key lockKey) {
    return resource(lockKey.path().substring((prefix + "lock/").length()));
  }

  public Key request(ResourceName resource, Principal principal, RequestId requestId) {
    return key("req/" + resource.keySegment() + "/" + caller(principal, requestId));
  }

  public Key place(ResourceName resource, Principal principal, RequestId requestId) {
    return new Key(placesPath(resource) + caller(principal, requestId));
  }

  public KeyRange places(ResourceName resource) {
    return KeyRange.under(placesPath(resource));
  }

  private String placesPath(ResourceName resource) {
    return prefix + "wait/" + resource.keySegment() + "/";
  }

  /** The places of all queues. */
  public KeyRange places() {
    return KeyRange.under(prefix + "wait/");
  }

  /** The resource whose queue a place is in; empty for a key that is none of Fencegate's. */
  public Optional<ResourceName> resourceOfPlace(Key place) {
    String[] segments = place.path().substring((prefix + "wait/").length()).split("/", -1);
    return segments.length == 2 ? resource(segments[0]) : Optional.empty();
  }

  private static Optional<ResourceName> resource(String segment) {
    return ResourceName.ofKeySegment(segment).fold(Optional::of, malformed -> Optional.empty());
  }

  /** Whether a key in a queue is named as places are. */
  public boolean isPlace(Key key) {
    return resourceOfPlace(key).isPresent()
        && PLACE.matcher(key.path().substring(key.path().lastIndexOf('/') + 1)).matches();
  }

  /** Whether a place in the queue of {@code resource} belongs to that principal. */
  public boolean isPlaceOf(Key place, ResourceName resource, Principal principal) {
    return place.path().startsWith(placesPath(resource) + hash(principal) + ".");
  }

  public Key reserve(ResourceName resource) {
    return key("reserve/" + resource.keySegment());
  }

  public Key epoch(ResourceName resource) {
    return key("epoch/" + resource.keySegment());
  }

  public Key epochSource(ResourceName resource) {
    return key("source/" + resource.keySegment());
  }

  public KeyRange epochs() {
    return KeyRange.under(prefix + "epoch/");
  }

  /** The resource of an epoch key; empty for a key that is none of Fencegate's. */
  public Optional<ResourceName> resourceOfEpoch(Key epochKey) {
    return resource(epochKey.path().substring((prefix + "epoch/").length()));
  }

  public KeyRange confirmed() {
    return KeyRange.under(prefix + "confirmed/");
  }

  /** The resource of a confirmed epoch's key; empty for a key that is none of Fencegate's. */
  public Optional<ResourceName> resourceOfConfirmed(Key confirmedKey) {
    return resource(confirmedKey.path().substring((prefix + "confirmed/").length()));
  }

  public Key confirmed(ResourceName resource) {
    return key("confirmed/" + resource.keySegment());
  }

  /**
   * The record of a keyed write.
   *
   * @param caller empty where the key is everybody's
   */
  public Key idempotency(ResourceName resource, String caller, IdempotencyKey idempotencyKey) {
    byte[] hash =
        Sha256.ofParts(
            caller.getBytes(StandardCharsets.UTF_8),
            idempotencyKey.value().getBytes(StandardCharsets.UTF_8));
    return key("idem/" + resource.keySegment() + "/" + HexFormat.of().formatHex(hash));
  }

  public Key active(ResourceName resource) {
    return key("active/" + resource.keySegment());
  }

  public Key unresolved(ResourceName resource, String id) {
    return key("unresolved/" + resource.keySegment() + "/" + id);
  }

  public KeyRange unresolved(ResourceName resource) {
    return KeyRange.under(prefix + "unresolved/" + resource.keySegment() + "/");
  }

  /** What may still land, of all resources. */
  public KeyRange unresolved() {
    return KeyRange.under(prefix + "unresolved/");
  }

  /** The resource of an unresolved write; empty for a key that is none of Fencegate's. */
  public Optional<ResourceName> resourceOfUnresolved(Key key) {
    String[] segments = key.path().substring((prefix + "unresolved/").length()).split("/", -1);
    return segments.length == 2 ? resource(segments[0]) : Optional.empty();
  }

  /** The id in the key of an unresolved write. */
  public static String idOfUnresolved(Key key) {
    return key.path().substring(key.path().lastIndexOf('/') + 1);
  }

  public Key slot(int number) {
    return key("slot/" + number);
  }

  public Key slotScheme() {
    return key("meta/slots");
  }

  public KeyRange slots() {
    return KeyRange.under(prefix + "slot/");
  }

  /** The number in a slot's key; empty for a key that is none of Fencegate's. */
  public OptionalInt numberOfSlot(Key slotKey) {
    String number = slotKey.path().substring((prefix + "slot/").length());
    return SLOT_NUMBER.matcher(number).matches()
        ? OptionalInt.of(Integer.parseInt(number))
        : OptionalInt.empty();
  }

  public Key freeze(String id) {
    return key("freeze/" + id);
  }

  public KeyRange freezes() {
    return KeyRange.under(prefix + "freeze/");
  }

  /** The id in a freeze's key. */
  public String idOfFreeze(Key freezeKey) {
    return freezeKey.path().substring((prefix + "freeze/").length());
  }

  /** Says that a gateway has nothing under way any more that a freeze stops. */
  public Key drained(String freezeId, String session) {
    return key("drained/" + freezeId + "/" + session);
  }

  public KeyRange drained(String freezeId) {
    return KeyRange.under(prefix + "drained/" + freezeId + "/");
  }

  /** The session in the key of a drained gateway. */
  public static String sessionOfDrained(Key drainedKey) {
    return drainedKey.path().substring(drainedKey.path().lastIndexOf('/') + 1);
  }

  public Key policy(PolicyName name) {
    return key("policy/" + name);
  }

  public KeyRange policies() {
    return KeyRange.under(prefix + "policy/");
  }

  /** The name in a policy's key; empty for a key that is none of Fencegate's. */
  public Optional<PolicyName> nameOfPolicy(Key policyKey) {
    return PolicyName.parse(policyKey.path().substring((prefix + "policy/").length()))
        .fold(Optional::of, malformed -> Optional.empty());
  }

  public Key gateway(String session) {
    return key("gateway/" + session);
  }

  public KeyRange gateways() {
    return KeyRange.under(prefix + "gateway/");
  }

  /** The id in a gateway's key. */
  public String sessionOf(Key gatewayKey) {
    return gatewayKey.path().substring((prefix + "gateway/").length());
  }

  public Key epochsPlace() {
    return key("meta/epochs");
  }

  public Key generation() {
    return key("meta/generation");
  }

  public Key historyLost() {
    return key("meta/history-lost");
  }

  public Key gatewayKey() {
    return key("meta/gateway-key");
  }

  private Key key(String path) {
    return new Key(prefix + path);
  }

  private String caller(Principal principal, RequestId requestId) {
    return hash(principal) + "." + requestId.value();
  }

  private String hash(Principal principal) {
    Hashed last = lastHashed;
    if (!last.principal().equals(principal)) {
      last = new Hashed(principal, hashed(principal));
      lastHashed = last;
    }
    return last.hash();
  }

  private static String hashed(Principal principal) {
    byte[] hash = Sha256.of(principal.value().getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(hash).substring(0, PRINCIPAL_HEX);
  }
}
