/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.RequestRecord;
import io.fencegate.coordination.key.WaitRecord;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.Generation;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one call sends while it waits, and what the answers mean to it. Whatever an answer says of
 * lock and queue is told to the line.
 */
final class WaitSteps {

  /** How long the coordinator may take for one step of a wait. */
  private static final Duration BUDGET = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(WaitSteps.class);

  private final Waiter.Parts parts;
  private final Waiter.Call call;
  private final AcquireRequest request;
  private final Key place;

  /** Of this call's entry, as the last answer showed it. */
  private long modRevision;

  WaitSteps(Waiter.Parts parts, Waiter.Call call) {
    this.parts = parts;
    this.call = call;
    this.request = call.award().request();
    this.place =
        parts.desk().keys().place(request.resource(), request.principal(), request.requestId());
  }

  Key place() {
    return place;
  }

  private ResourceName resource() {
    return request.resource();
  }

  private Line line() {
    return parts.queue().line(resource());
  }

  /** Moves the entry on and looks around. */
  Future<Reply> keep(long number) {
    return submit(
        new PlaceTransaction.Keep(parts.desk().keys(), request, call.attempt(), modRevision),
        judged ->
            judged.result().held()
                ? placed(judged, number)
                : standing(
                    judged.result().entry(PlaceTransaction.REQUEST),
                    judged.result().entry(PlaceTransaction.OWN_PLACE),
                    false));
  }

  /** Tries to take the lock from this place. */
  Future<Reply> grant(long number) {
    return submit(
        new GrantTransaction(
            parts.desk().keys(),
            call.award(),
            call.attempt(),
            number,
            parts.desk().clocks().read().wallMillis()),
        this::tried);
  }

  private Reply tried(Commit.Judged judged) {
    if (judged.result().held()) {
      line().granted(judged.revision());
      return Reply.granted(
          new Reply.Won(judged.revision(), () -> parts.grants().granted(call.award(), judged)));
    }
    saw(judged, GrantTransaction.LOCK, GrantTransaction.HEAD);
    return standing(
        judged.result().entry(GrantTransaction.REQUEST),
        judged.result().entry(GrantTransaction.OWN_PLACE),
        line().mayTryAgain(place));
  }

  /** Removes the entry. */
  Future<Reply> leave() {
    return submit(
        new CancelTransaction(
            parts.desk().keys(),
            resource(),
            request.principal(),
            request.requestId(),
            call.attempt()),
        judged -> {
          if (judged.result().held()) {
            parts.queue().placeDeleted(resource(), place, judged.revision());
            return Reply.of(WaitEvent.Plain.REMOVED);
          }
          return standing(
              judged.result().entry(CancelTransaction.REQUEST),
              judged.result().entry(CancelTransaction.OWN_PLACE),
              false);
        });
  }

  /** Frees the lock that this call was granted. */
  Future<Reply> giveBack(Reply.Won won) {
    return submit(
        new GiveBackTransaction(
            parts.desk().keys(), resource(), call.award().leaseId().proof(), won.revision()),
        judged -> {
          if (judged.result().held()) {
            parts.changes().freed(resource(), judged.revision());
          }
          return Reply.of(WaitEvent.Plain.RETURNED);
        });
  }

  /** What is not judged in time is in doubt: the next step of the wait settles it. */
  private Future<Reply> submit(Transaction transaction, Function<Commit.Judged, Reply> judged) {
    return parts
        .desk()
        .batcher()
        .submit(transaction, deadlineNanos())
        .compose(
            commit ->
                Reply.whenJudged(
                    commit, Reply::inDoubt, it -> Future.succeededFuture(judged.apply(it))))
        .map(
            reply ->
                reply.event() == WaitEvent.Plain.REFUSED
                    ? Reply.inDoubt(reply.refusal().orElseThrow())
                    : reply)
        .onSuccess(
            reply ->
                reply
                    .refusal()
                    .ifPresent(
                        why ->
                            LOG.warn(
                                "a wait for {}: {} was not judged: {}",
                                resource(),
                                transaction.getClass().getSimpleName(),
                                why.detail())));
  }

  private long deadlineNanos() {
    return parts.desk().deadlineIn(BUDGET);
  }

  /** The entry stands as this call wants it; lock and head were read with it. */
  Reply placed(Commit.Judged judged, long number) {
    modRevision = judged.revision();
    saw(judged, PlaceTransaction.LOCK, PlaceTransaction.HEAD);
    return Reply.of(new WaitEvent.Placed(number, line().mayTry(place)));
  }

  /** An answer says what was at these two places; what should not be there is removed. */
  private void saw(Commit.Judged judged, int lock, int head) {
    Optional<Entry> first = judged.result().entry(head);
    line().saw(judged.revision(), judged.result().entry(lock).isPresent(), first);
    Strays strays = new Strays(parts.desk());
    strays.among(first).ifPresent(stray -> strays.remove(resource(), stray));
  }

  /** What stands in the coordinator where a compare on this call's entry failed. */
  Reply standing(Optional<Entry> decided, Optional<Entry> own, boolean myTurn) {
    if (decided.isPresent()) {
      return decided(
          decided.get(),
          () -> parts.grants().earlier(call.award(), decided.get(), deadlineNanos()));
    }
    if (own.isEmpty()) {
      return Reply.of(WaitEvent.Plain.VANISHED);
    }
    if (!WaitRecord.decode(own.get().value()).attempt().equals(call.attempt())) {
      return Reply.of(WaitEvent.Plain.SUPERSEDED);
    }
    modRevision = own.get().modRevision();
    return Reply.of(new WaitEvent.Placed(own.get().createRevision(), myTurn));
  }

  /** The request has been granted; the lock was read with that. */
  Reply decided(Entry granted, Optional<Entry> lock, Generation generation) {
    return decided(
        granted,
        () -> parts.grants().earlier(call.award(), granted, lock, generation, deadlineNanos()));
  }

  private Reply decided(Entry granted, Supplier<Future<Ruling<Grant>>> answer) {
    Reply.Won what = new Reply.Won(granted.modRevision(), answer);
    return call.award().isOf(RequestRecord.decode(granted.value()))
        ? Reply.granted(what)
        : Reply.decidedElsewhere(what);
  }
}
