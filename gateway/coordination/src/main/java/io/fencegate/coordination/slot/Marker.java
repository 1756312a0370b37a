/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.key.MarkRecord;
import io.fencegate.coordination.key.SlotRecord;
import io.fencegate.coordination.key.UnresolvedRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the marks of {@link Custody}, one at a time per resource, and turns what it finds of owners
 * that ended into unresolved writes. Used from one context.
 */
final class Marker {

  /** Forms that one marking tries: each fits what the last one found. */
  private static final int MAX_FORMS = 5;

  private static final Logger LOG = LoggerFactory.getLogger(Marker.class);

  private final Custody.Parts parts;
  private final UnresolvedBook book;

  Marker(Custody.Parts parts, UnresolvedBook book) {
    this.parts = parts;
    this.book = book;
  }

  /**
   * Puts a mark that covers this token, and reads what earlier owners left.
   *
   * @param deadlineNanos monotonic
   */
  Future<Ruling<FencingToken>> mark(
      ResourceName resource, Kept kept, FencingToken token, long deadlineNanos) {
    Marking call = new Marking(resource, kept, token, deadlineNanos, MAX_FORMS);
    Future<Ruling<FencingToken>> marking = mark(call, kept.markRevision);
    if (marking.isComplete()) {
      kept.nextLowest = null;
    } else {
      kept.marking = marking;
      marking.onComplete(
          unused -> {
            kept.marking = null;
            kept.nextLowest = null;
          });
    }
    return marking;
  }

  private record Marking(
      ResourceName resource, Kept kept, FencingToken token, long deadlineNanos, int formsLeft) {
    Marking again() {
      return new Marking(resource, kept, token, deadlineNanos, formsLeft - 1);
    }
  }

  /**
   * The lowest token that may be under way by the time that the mark is there: what has entered,
   * what can enter on what is known locally, what left in doubt without a record yet, and the one
   * that the mark is for.
   */
  FencingToken lowest(ResourceName resource, FencingToken token) {
    FencingToken entered = parts.barrier().lowestEntered(resource).orElse(token);
    FencingToken epoch = parts.barrier().view(resource).epoch();
    FencingToken lower = lower(entered, token);
    FencingToken unrecorded = book.lowestNotDurable(resource).orElse(lower);
    FencingToken lowest = lower(lower, unrecorded);
    return epoch == null ? lowest : lower(epoch, lowest);
  }

  private static FencingToken lower(FencingToken one, FencingToken other) {
    return one.isBelow(other) ? one : other;
  }

  /**
   * Puts the mark. Until it is answered nothing enters that either the old or the new one would not
   * cover.
   */
  private Future<Ruling<FencingToken>> mark(Marking call, long seen) {
    MarkRecord mark =
        new MarkRecord(
            parts.slots().self(),
            lowest(call.resource(), call.token()),
            parts.slots().longestUnderWay(),
            book.probe().canBeAsked(call.resource()));
    call.kept().nextLowest = mark.lowest();
    return parts
        .commits()
        .submit(
            new MarkTransaction(parts.keys(), call.resource(), mark, seen), call.deadlineNanos())
        .compose(commit -> commit.ruling(judged -> judge(call, mark, judged)))
        .recover(Marker::unavailable)
        .map(ruling -> ruling.fold(Ruling::granted, refusal -> nothingDone(call, refusal)));
  }

  private static Future<Ruling<FencingToken>> unavailable(Throwable failure) {
    return Future.succeededFuture(
        Ruling.refused(
            RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(failure.getMessage()))));
  }

  /** A mark in doubt is looked at anew the next time. */
  private static Ruling<FencingToken> nothingDone(Marking call, Refusal refusal) {
    call.kept().mark = null;
    call.kept().markRevision = 0;
    return Ruling.refused(refusal.nothingDone());
  }

  private Future<Ruling<FencingToken>> judge(Marking call, MarkRecord mark, Commit.Judged judged) {
    if (!judged.result().held()) {
      return call.formsLeft() == 1
          ? Future.succeededFuture(
              Ruling.refused(
                  RefusalCode.COORDINATOR_UNAVAILABLE.because("the mark keeps changing")))
          : markWhatIsThere(call.again(), mark.session(), judged);
    }
    call.kept().markRevision = judged.revision();
    if (call.kept().loaded) {
      return marked(call, mark);
    }
    // The first one says that there are some; a known one may stand before others.
    Optional<Entry> unresolved = judged.result().entry(MarkTransaction.UNRESOLVED);
    return unresolved.isEmpty()
        ? marked(call, mark)
        : book.load(call.resource(), call.kept().policy).compose(unused -> marked(call, mark));
  }

  private static Future<Ruling<FencingToken>> marked(Marking call, MarkRecord mark) {
    call.kept().mark = mark;
    call.kept().loaded = true;
    return Future.succeededFuture(Ruling.granted(call.token()));
  }

  private Future<Ruling<FencingToken>> markWhatIsThere(
      Marking call, String self, Commit.Judged found) {
    boolean owned =
        found
            .result()
            .entry(MarkTransaction.SLOT)
            .filter(it -> SlotRecord.decode(it.value()).isOwnedBy(self))
            .isPresent();
    if (!owned) {
      return Future.succeededFuture(
          Ruling.refused(RefusalCode.HANDOVER.because("another gateway has taken the resource")));
    }
    Optional<Entry> there = found.result().entry(MarkTransaction.MARK);
    Optional<MarkRecord> foreign =
        there.map(it -> MarkRecord.decode(it.value())).filter(it -> !it.session().equals(self));
    return foreign.isPresent()
        ? ownerLost(call, self, foreign.get(), there.orElseThrow().modRevision())
        : mark(call, there.map(Entry::modRevision).orElse(0L));
  }

  /** What an owner had on its way that has ended. */
  private Future<Ruling<FencingToken>> ownerLost(
      Marking call, String self, MarkRecord lost, long revision) {
    LOG.warn(
        "writes to {} from token {} on may still land: their gateway has ended",
        call.resource(),
        lost.lowest());
    return namesOf(lost).compose(names -> record(call, self, ownerLost(lost, names), revision));
  }

  private UnresolvedRecord ownerLost(MarkRecord lost, List<String> names) {
    return new UnresolvedRecord(
        lost.lowest(),
        parts.clocks().read().wallMillis(),
        lost.longest(),
        UnresolvedRecord.Kind.OWNER_LOST,
        "the gateway that had the resource ended, and may have had writes under way",
        names);
  }

  /**
   * To ask about a session closes it in the service for good. So it is done for one that has ended;
   * a gateway that lives may have left its mark behind where it could not remove it.
   */
  private Future<List<String>> namesOf(MarkRecord lost) {
    if (!lost.named()) {
      return Future.succeededFuture(List.of());
    }
    Op look = new Op.Get(parts.keys().gateway(lost.session()));
    return parts
        .store()
        .commitAlone(new Member(List.of(), List.of(look), List.of()))
        .map(found -> found.entry(0).isEmpty() ? List.of(lost.session()) : List.<String>of())
        .otherwise(List.of());
  }

  private Future<Ruling<FencingToken>> record(
      Marking call, String self, UnresolvedRecord record, long revision) {
    return parts
        .commits()
        .submit(
            new UnresolvedTransaction(
                parts.keys(), call.resource(), self, book.newId("lost"), record, revision),
            call.deadlineNanos())
        .compose(
            commit ->
                commit.ruling(
                    judged -> {
                      call.kept().loaded = false;
                      return mark(call, 0);
                    }));
  }
}
