/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.RangePage;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The resources that the coordinator knows of: those with an epoch, and those that are locked. In
 * the order of their keys, page by page; the pages are reads of their own, so what changes between
 * two of them may be missed or seen twice. Used from one context.
 */
public final class ResourceDirectory {

  private final CoordinationStore store;
  private final Keyspace keys;

  public ResourceDirectory(CoordinationStore store, Keyspace keys) {
    this.store = store;
    this.keys = keys;
  }

  /**
   * One resource.
   *
   * @param epoch empty where nothing was written yet
   * @param holder the token that holds the lock; empty where it is free
   */
  public record Listed(
      ResourceName resource, Optional<EpochRecord> epoch, Optional<FencingToken> holder) {}

  /**
   * Some of the resources.
   *
   * @param more whether there are others behind the last one
   */
  public record Listing(List<Listed> resources, boolean more) {}

  /**
   * The first resources whose names start with {@code prefix}.
   *
   * @param prefix empty for all; characters of resource names and {@code /} only
   * @param after only those behind this one; null for the first page
   * @param limit 1 to 1,000
   */
  public Future<Ruling<Listing>> list(String prefix, @Nullable ResourceName after, int limit) {
    String start = prefix.replace("/", "%2F");
    return page(keys.epochs(), start, after, limit)
        .compose(
            epochs ->
                page(keys.locks(), start, after, limit)
                    .map(locks -> Ruling.granted(listing(start, epochs, locks, limit))))
        .recover(ResourceDirectory::refused);
  }

  /** From the prefix, or right behind the last name, to the end of the kind's keys. */
  private Future<RangePage> page(
      KeyRange all, String start, @Nullable ResourceName after, int limit) {
    String behind = after == null ? "" : after.keySegment() + "!";
    String first = behind.compareTo(start) > 0 ? behind : start;
    return store.range(new KeyRange(new Key(all.from().path() + first), all.to()), limit);
  }

  private Listing listing(String start, RangePage epochs, RangePage locks, int limit) {
    Map<String, Listed> found = new TreeMap<>();
    boolean more =
        add(
            found,
            epochs,
            start,
            keys::resourceOfEpoch,
            (name, entry) ->
                new Listed(name, Optional.of(EpochRecord.decode(entry.value())), Optional.empty()));
    more |=
        add(
            found,
            locks,
            start,
            keys::resourceOfLock,
            (name, entry) ->
                new Listed(
                    name,
                    Optional.empty(),
                    Optional.of(LockRecord.decode(entry.value()).token(entry))));
    List<Listed> all = new ArrayList<>(found.values());
    boolean cut = all.size() > limit;
    return new Listing(cut ? List.copyOf(all.subList(0, limit)) : all, cut || more);
  }

  @FunctionalInterface
  private interface Reader {
    Listed read(ResourceName name, Entry entry);
  }

  /** Adds what has the prefix; answers whether the page was cut short within it. */
  private static boolean add(
      Map<String, Listed> found,
      RangePage page,
      String start,
      Function<Key, Optional<ResourceName>> names,
      Reader reader) {
    boolean ended = false;
    for (Entry entry : page.entries()) {
      Optional<ResourceName> name = names.apply(entry.key());
      if (name.isPresent()) {
        ended |= !name.get().keySegment().startsWith(start);
        if (!ended) {
          found.merge(
              name.get().keySegment(),
              reader.read(name.get(), entry),
              (epoch, lock) -> new Listed(epoch.resource(), epoch.epoch(), lock.holder()));
        }
      }
    }
    return page.more() && !ended;
  }

  private static <T> Future<Ruling<T>> refused(Throwable failure) {
    return failure instanceof StoreException known
        ? Future.succeededFuture(
            Ruling.refused(
                RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(known.getMessage()))))
        : Future.failedFuture(failure);
  }
}
