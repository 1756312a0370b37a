/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.cluster;

import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.Value;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The key that all gateways of a coordinator share, kept in memory once it was read. Whoever needs
 * it first makes it: a transaction of its own puts it where it is absent, and whatever is there
 * then, an earlier one or this, is the key. A put in doubt needs no care for the same reason. Used
 * from one context.
 */
public final class GatewayKeys {

  private final CoordinationStore store;
  private final Key key;
  private final IntFunction<byte[]> secureRandom;
  private Optional<Future<GatewayKey>> known = Optional.empty();

  /**
   * Reads nothing yet.
   *
   * @param secureRandom gives that many bytes from a secure random source
   */
  public GatewayKeys(CoordinationStore store, Keyspace keys, IntFunction<byte[]> secureRandom) {
    this.store = store;
    this.key = keys.gatewayKey();
    this.secureRandom = secureRandom;
  }

  /** The key; fails with {@link StoreException}, and then the next call asks again. */
  public Future<GatewayKey> current() {
    if (known.isPresent() && !known.get().failed()) {
      return known.get();
    }
    Future<GatewayKey> asked = look();
    known = Optional.of(asked);
    return asked;
  }

  /** The coordinator may have another one by now, as when it was restored from a backup. */
  public void forget() {
    known = Optional.empty();
  }

  /** Looks first, for where there is no space nothing is committed that could put. */
  private Future<GatewayKey> look() {
    Op.Get get = new Op.Get(key);
    return store
        .commitAlone(new Member(List.of(), List.of(get), List.of()))
        .compose(
            found -> found.entry(0).map(it -> Future.succeededFuture(it)).orElseGet(this::create))
        .map(entry -> GatewayKey.decode(entry.value()));
  }

  private Future<Entry> create() {
    Op.Get get = new Op.Get(key);
    Op.Put mine = new Op.Put(key, Value.of(secureRandom.apply(GatewayKey.BYTES)), LeaseHandle.NONE);
    return store
        .commitAlone(new Member(List.of(Compare.absent(key)), List.of(mine, get), List.of(get)))
        .map(result -> result.entry(result.results().size() - 1).orElseThrow(GatewayKeys::deleted));
  }

  private static StoreException deleted() {
    return new StoreException(StoreException.Kind.DEFINITE, "meta/gateway-key was deleted");
  }
}
