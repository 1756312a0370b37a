/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.MemberResult;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Where the gateways of one coordinator keep epochs: in it alone, or in one ledger besides. The
 * first gateway puts that into the coordinator; one that keeps them elsewhere raises nothing. The
 * note is changed only while no gateway has a session. Used from one context.
 */
final class EpochPlace {

  /** What the note says where nothing but the coordinator keeps epochs. */
  static final String COORDINATOR = "coordinator";

  private static final String LEDGER = "postgres ";

  /** A look that takes longer counts as none; the next caller looks again. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final CoordinationStore store;
  private final Keyspace keys;
  private final EpochTerms terms;
  private Optional<Future<Ruling<String>>> known = Optional.empty();

  EpochPlace(CoordinationStore store, Keyspace keys, EpochTerms terms) {
    this.store = store;
    this.keys = keys;
    this.terms = terms;
  }

  /** What a gateway with this ledger notes. */
  private static String noteOf(String identity) {
    return LEDGER + identity;
  }

  /** The coordinator may be another by now, or other gateways may have come. */
  void forget() {
    known = Optional.empty();
  }

  /**
   * Granted, with the note, where all gateways keep epochs where this one does. Callers share one
   * look of at most 2 s, and a granted answer lasts until {@link #forget}. Never fails.
   *
   * @param deadlineNanos monotonic, of looking at the ledger
   */
  Future<Ruling<String>> agreed(long deadlineNanos) {
    Optional<Future<Ruling<String>>> looking =
        known.filter(it -> !it.isComplete() || isGranted(it));
    if (looking.isPresent()) {
      return looking.get();
    }
    Future<Ruling<String>> asked =
        settle(deadlineNanos, Optional.empty())
            .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
            .otherwise(late -> Ruling.refused(notFoundOut()));
    known = Optional.of(asked);
    return asked;
  }

  private Refusal notFoundOut() {
    RefusalCode code =
        terms.ledger().isPresent()
            ? RefusalCode.EPOCH_STORE_UNAVAILABLE
            : RefusalCode.COORDINATOR_UNAVAILABLE;
    return code.because("where epochs are kept was not found out in time");
  }

  private static boolean isGranted(Future<Ruling<String>> answered) {
    return answered.succeeded() && answered.result() instanceof Ruling.Granted;
  }

  /**
   * Agrees before this gateway has a session, and changes the note if it says what is to be
   * replaced and nobody has one. Refused as {@code handover} where the gateways keep epochs
   * elsewhere, otherwise where that is not known.
   */
  Future<Ruling<String>> settleFirst(long deadlineNanos) {
    Future<Ruling<String>> asked = settle(deadlineNanos, terms.replaces());
    known = Optional.of(asked);
    return asked;
  }

  private Future<Ruling<String>> settle(long deadlineNanos, Optional<String> replaces) {
    return mine(deadlineNanos)
        .compose(
            ruling ->
                ruling.fold(
                    mine -> compare(mine, replaces),
                    refusal -> Future.succeededFuture(Ruling.refused(refusal))));
  }

  private Future<Ruling<String>> mine(long deadlineNanos) {
    return terms
        .ledger()
        .map(it -> it.identity(deadlineNanos).map(ruling -> ruling.map(EpochPlace::noteOf)))
        .orElseGet(() -> Future.succeededFuture(Ruling.granted(COORDINATOR)));
  }

  private Future<Ruling<String>> compare(String mine, Optional<String> replaces) {
    return look()
        .compose(found -> found.isPresent() ? Future.succeededFuture(found) : put(mine))
        .compose(
            found -> {
              Optional<String> note = found.map(EpochPlace::text);
              if (note.filter(mine::equals).isPresent()) {
                return Future.succeededFuture(Ruling.granted(mine));
              }
              return note.isPresent() && note.equals(replaces)
                  ? replace(found.get(), mine)
                  : Future.succeededFuture(Ruling.<String>refused(differs(mine, note)));
            })
        .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .otherwise(
            failure ->
                Ruling.refused(
                    RefusalCode.COORDINATOR_UNAVAILABLE.because(
                        "it is not known where the other gateways keep epochs: "
                            + failure.getMessage())));
  }

  /** Looks first: where there is no space, nothing is committed that could put. */
  private Future<Optional<Entry>> look() {
    return store
        .commitAlone(new Member(List.of(), List.of(new Op.Get(key())), List.of()))
        .map(result -> result.entry(0));
  }

  private Future<Optional<Entry>> put(String mine) {
    Op.Get get = new Op.Get(key());
    return store
        .commitAlone(
            new Member(List.of(Compare.absent(key())), List.of(note(mine), get), List.of(get)))
        .map(EpochPlace::last);
  }

  private static Optional<Entry> last(MemberResult result) {
    return result.entry(result.results().size() - 1);
  }

  private Future<Ruling<String>> replace(Entry found, String mine) {
    return store
        .commitAlone(
            new Member(
                List.of(
                    new Compare.ModifiedAt(key(), found.modRevision()),
                    new Compare.RangeEmpty(keys.gateways())),
                List.of(note(mine)),
                List.of()))
        .map(
            result ->
                result.held()
                    ? Ruling.granted(mine)
                    : Ruling.refused(
                        RefusalCode.HANDOVER.because(
                            "where epochs are kept can change only while no other gateway has a"
                                + " session: stop them all; one that was killed has it for another"
                                + " 10 s")));
  }

  private Op.Put note(String mine) {
    return new Op.Put(key(), Value.of(mine.getBytes(StandardCharsets.UTF_8)), LeaseHandle.NONE);
  }

  private Key key() {
    return keys.epochsPlace();
  }

  private static String text(Entry entry) {
    return new String(entry.value().toBytes(), StandardCharsets.UTF_8);
  }

  private static Refusal differs(String mine, Optional<String> note) {
    return RefusalCode.HANDOVER.because(
        "this gateway keeps epochs in '"
            + mine
            + "', but all gateways of this coordinator keep them in '"
            + note.orElse("nothing")
            + "' (meta/epochs): to change that, stop all of them and start the first with"
            + " epochs.replaces set to the latter");
  }
}
