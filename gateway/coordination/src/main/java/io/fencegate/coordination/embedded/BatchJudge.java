/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.MemberResult;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.OpResult;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Judges one batch: first every compare on the state before it, then whether all that would run can
 * run, and only then the steps, member after member.
 */
final class BatchJudge {

  private final StoreState state;
  private final Compares compares = new Compares();
  private final Checks checks = new Checks();
  private final Steps steps = new Steps();

  private BatchJudge(StoreState state) {
    this.state = state;
  }

  /** Changes the state as the batch says, or throws and leaves it as it is. */
  static BatchResult commit(StoreState state, Batch batch) {
    return new BatchJudge(state).commit(batch);
  }

  private BatchResult commit(Batch batch) {
    if (!holds(batch.outer())) {
      return new BatchResult.Fenced(state.revision(), run(batch.otherwise()));
    }
    List<Boolean> held = batch.members().stream().map(m -> holds(m.compares())).toList();
    for (int i = 0; i < held.size(); i++) {
      branch(batch.members().get(i), held.get(i)).forEach(op -> op.fold(checks));
    }
    List<MemberResult> results = new ArrayList<>(held.size());
    for (int i = 0; i < held.size(); i++) {
      List<OpResult> opResults = run(branch(batch.members().get(i), held.get(i)));
      results.add(new MemberResult(held.get(i), opResults));
    }
    state.seal();
    return new BatchResult.Committed(state.revision(), results);
  }

  private static List<Op> branch(Member member, boolean held) {
    return held ? member.then() : member.otherwise();
  }

  private boolean holds(List<Compare> conditions) {
    return conditions.stream().allMatch(c -> c.fold(compares));
  }

  private List<OpResult> run(List<Op> ops) {
    List<OpResult> results = new ArrayList<>(ops.size());
    for (Op op : ops) {
      results.add(op.fold(steps));
    }
    return results;
  }

  private final class Compares implements Compare.Cases<Boolean> {
    @Override
    public Boolean createdAt(Compare.CreatedAt compare) {
      return state.get(compare.key()).map(Entry::createRevision).orElse(0L) == compare.revision();
    }

    @Override
    public Boolean modifiedAt(Compare.ModifiedAt compare) {
      return state.get(compare.key()).map(Entry::modRevision).orElse(0L) == compare.revision();
    }

    @Override
    public Boolean valuePrefix(Compare.ValuePrefix compare) {
      return state
          .get(compare.key())
          .filter(entry -> entry.value().extendsPrefix(compare.prefix()))
          .isPresent();
    }

    @Override
    public Boolean valueBelow(Compare.ValueBelow compare) {
      return state
          .get(compare.key())
          .filter(entry -> entry.value().compareTo(compare.bound()) < 0)
          .isPresent();
    }

    @Override
    public Boolean rangeEmpty(Compare.RangeEmpty compare) {
      return state.in(compare.range()).isEmpty();
    }

    @Override
    public Boolean rangeCreatedAfter(Compare.RangeCreatedAfter compare) {
      Collection<Entry> found = state.in(compare.range());
      return !found.isEmpty()
          && found.stream().allMatch(entry -> entry.createRevision() > compare.revision());
    }
  }

  /** Throws where a step of a branch that would run cannot run. */
  private final class Checks implements Op.Cases<Boolean> {
    @Override
    public Boolean put(Op.Put op) {
      return requireLive(op.key(), op.lease());
    }

    @Override
    public Boolean touch(Op.Touch op) {
      if (state.get(op.key()).isEmpty()) {
        throw new StoreException(
            StoreException.Kind.DEFINITE, "touch of key " + op.key() + ", which is absent");
      }
      return requireLive(op.key(), op.lease());
    }

    private boolean requireLive(Key key, LeaseHandle lease) {
      if (!state.isLive(lease)) {
        throw new StoreException(
            StoreException.Kind.LEASE_GONE, "key " + key + " names a lease that is gone");
      }
      return true;
    }

    @Override
    public Boolean delete(Op.Delete op) {
      return true;
    }

    @Override
    public Boolean get(Op.Get op) {
      return true;
    }

    @Override
    public Boolean firstCreated(Op.FirstCreated op) {
      return true;
    }
  }

  private final class Steps implements Op.Cases<OpResult> {

    private static final OpResult DONE = new OpResult.Done();

    @Override
    public OpResult put(Op.Put op) {
      state.put(op.key(), op.value(), op.lease());
      return DONE;
    }

    @Override
    public OpResult touch(Op.Touch op) {
      Value value = state.get(op.key()).orElseThrow().value();
      state.put(op.key(), value, op.lease());
      return DONE;
    }

    @Override
    public OpResult delete(Op.Delete op) {
      state.delete(op.key());
      return DONE;
    }

    @Override
    public OpResult get(Op.Get op) {
      return new OpResult.Found(state.get(op.key()));
    }

    @Override
    public OpResult firstCreated(Op.FirstCreated op) {
      Optional<Entry> first =
          state.in(op.range()).stream()
              .min(Comparator.comparingLong(Entry::createRevision).thenComparing(Entry::key));
      return new OpResult.Found(first);
    }
  }
}
