/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.store.StoreException.Kind;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What every coordination store promises. An implementation extends this class (which brings the
 * lease and watch promises with it) and must pass all of it.
 */
public abstract class CoordinationStoreContract extends LeaseAndWatchContract {

  // Compares

  @Test
  void createdAtIsTheRevisionOfCreationAndZeroForAnAbsentKey() {
    long created = run(put("k", "1")).revision();
    run(put("k", "2"));
    assertThat(holds(new Compare.CreatedAt(key("k"), created))).isTrue();
    assertThat(holds(new Compare.CreatedAt(key("k"), created + 1))).isFalse();
    assertThat(holds(absent("k"))).isFalse();
    assertThat(holds(absent("other"))).isTrue();
    assertThat(holds(new Compare.CreatedAt(key("other"), created))).isFalse();
  }

  @Test
  void modifiedAtIsTheRevisionOfTheLastChangeAndZeroForAnAbsentKey() {
    long created = run(put("k", "1")).revision();
    long modified = run(put("k", "2")).revision();
    assertThat(holds(new Compare.ModifiedAt(key("k"), modified))).isTrue();
    assertThat(holds(new Compare.ModifiedAt(key("k"), created))).isFalse();
    assertThat(holds(new Compare.ModifiedAt(key("k"), 0))).isFalse();
    assertThat(holds(new Compare.ModifiedAt(key("other"), 0))).isTrue();
  }

  @Test
  void valuePrefixWantsMoreThanThePrefixAndAPresentKey() {
    run(put("k", "gen1/rest"));
    assertThat(holds(new Compare.ValuePrefix(key("k"), Value.of("gen1/")))).isTrue();
    assertThat(holds(new Compare.ValuePrefix(key("k"), Value.of("gen2/")))).isFalse();
    assertThat(holds(new Compare.ValuePrefix(key("k"), Value.of("gen1/rest")))).isFalse();
    assertThat(holds(new Compare.ValuePrefix(key("k"), Value.of("gen1/rest/more")))).isFalse();
    assertThat(holds(new Compare.ValuePrefix(key("other"), Value.of("gen1/")))).isFalse();
  }

  @Test
  void valuePrefixTakesBytesUpTo0xff() {
    byte[] value = {1, (byte) 0xff, 0};
    run(new Op.Put(key("k"), Value.of(value), LeaseHandle.NONE));
    byte[] prefix = {1, (byte) 0xff};
    byte[] neighbour = {2};
    assertThat(holds(new Compare.ValuePrefix(key("k"), Value.of(prefix)))).isTrue();
    assertThat(holds(new Compare.ValuePrefix(key("k"), Value.of(neighbour)))).isFalse();
  }

  @Test
  void valueBelowComparesUnsignedBytesAndIsFalseForAnAbsentKey() {
    byte[] high = {(byte) 0x80};
    byte[] low = {0x7f};
    run(new Op.Put(key("high"), Value.of(high), LeaseHandle.NONE));
    run(new Op.Put(key("low"), Value.of(low), LeaseHandle.NONE));
    assertThat(holds(new Compare.ValueBelow(key("low"), Value.of(high)))).isTrue();
    assertThat(holds(new Compare.ValueBelow(key("high"), Value.of(low)))).isFalse();
    assertThat(holds(new Compare.ValueBelow(key("high"), Value.of(high)))).isFalse();
    assertThat(holds(new Compare.ValueBelow(key("other"), Value.of(high)))).isFalse();
  }

  @Test
  void valueBelowOrdersFixedWidthNumbers() {
    run(new Op.Put(key("n"), Value.ofLong(255), LeaseHandle.NONE));
    assertThat(holds(new Compare.ValueBelow(key("n"), Value.ofLong(256)))).isTrue();
    assertThat(holds(new Compare.ValueBelow(key("n"), Value.ofLong(255)))).isFalse();
    assertThat(holds(new Compare.ValueBelow(key("n"), Value.ofLong(254)))).isFalse();
  }

  @Test
  void rangeEmptyLooksAtItsRangeOnly() {
    assertThat(holds(new Compare.RangeEmpty(under("r/")))).isTrue();
    run(put("r", "1"), put("r0", "1"), put("ra/x", "1"));
    assertThat(holds(new Compare.RangeEmpty(under("r/")))).isTrue();
    run(put("r/a", "1"));
    assertThat(holds(new Compare.RangeEmpty(under("r/")))).isFalse();
    run(delete("r/a"));
    assertThat(holds(new Compare.RangeEmpty(under("r/")))).isTrue();
  }

  @Test
  void rangeCreatedAfterWantsEveryKeyAndIsFalseForAnEmptyRange() {
    assertThat(holds(new Compare.RangeCreatedAfter(under("r/"), 0))).isFalse();
    long first = run(put("r/a", "1")).revision();
    long second = run(put("r/b", "1")).revision();
    run(put("r/a", "2"));
    assertThat(holds(new Compare.RangeCreatedAfter(under("r/"), first - 1))).isTrue();
    assertThat(holds(new Compare.RangeCreatedAfter(under("r/"), first))).isFalse();
    run(delete("r/a"));
    assertThat(holds(new Compare.RangeCreatedAfter(under("r/"), first))).isTrue();
    assertThat(holds(new Compare.RangeCreatedAfter(under("r/"), second))).isFalse();
  }

  // Branches

  @Test
  void exactlyOneBranchRuns() {
    Member member =
        when(
            absent("k"),
            List.of(put("k", "then"), get("k")),
            List.of(put("k", "otherwise"), get("k")));
    MemberResult first = commit(member).members().get(0);
    MemberResult second = commit(member).members().get(0);
    assertThat(first.held()).isTrue();
    assertThat(first.entry(1).orElseThrow().value()).isEqualTo(Value.of("then"));
    assertThat(second.held()).isFalse();
    assertThat(second.entry(1).orElseThrow().value()).isEqualTo(Value.of("otherwise"));
  }

  @Test
  void allComparesOfAMemberMustHold() {
    run(put("k", "1"));
    Member member =
        new Member(List.of(absent("a"), absent("k")), List.of(put("a", "1")), List.of(get("k")));
    MemberResult result = commit(member).members().get(0);
    assertThat(result.held()).isFalse();
    assertThat(result.entry(0)).isPresent();
    assertThat(read("a")).isEmpty();
  }

  @Test
  void comparesSeeTheStateBeforeTheBatch() {
    BatchResult.Committed result =
        commit(
            when(absent("a"), List.of(put("a", "1")), List.of()),
            when(absent("a"), List.of(put("b", "1")), List.of()),
            when(absent("b"), List.of(put("c", "1")), List.of()));
    assertThat(result.members()).allMatch(MemberResult::held);
    assertThat(snapshot()).containsOnlyKeys(key("a"), key("b"), key("c"));
  }

  @Test
  void readsSeeEarlierStepsOfTheirBranchAndOfEarlierMembers() {
    run(put("gone", "1"));
    BatchResult.Committed result =
        commit(
            always(get("a"), put("a", "1"), get("a"), delete("gone"), get("gone")),
            always(get("a"), new Op.FirstCreated(all())));
    MemberResult first = result.members().get(0);
    assertThat(first.entry(0)).isEmpty();
    assertThat(first.entry(2).orElseThrow().modRevision()).isEqualTo(result.revision());
    assertThat(first.entry(4)).isEmpty();
    assertThat(result.members().get(1).entry(0)).isEqualTo(first.entry(2));
    assertThat(result.members().get(1).entry(1)).isEqualTo(first.entry(2));
  }

  @Test
  void aFencedBatchRunsNoMemberAndAnswersItsReads() {
    run(put("session", "7"));
    Batch batch =
        new Batch(
            List.of(new Compare.ValueBelow(key("session"), Value.of("7")), absent("k")),
            List.of(always(put("k", "1")), when(absent("x"), List.of(), List.of(put("y", "1")))),
            List.of(get("session"), get("k")));
    long before = revision();
    BatchResult.Fenced fenced = (BatchResult.Fenced) await(store.commit(batch));
    assertThat(fenced.revision()).isEqualTo(before);
    assertThat(fenced.results().get(0).entry().orElseThrow().value()).isEqualTo(Value.of("7"));
    assertThat(fenced.results().get(1).entry()).isEmpty();
    assertThat(snapshot()).containsOnlyKeys(key("session"));
  }

  @Test
  void outerComparesThatHoldLetMembersRun() {
    long session = run(put("session", "7")).revision();
    Batch batch =
        new Batch(
            List.of(new Compare.ModifiedAt(key("session"), session)),
            List.of(always(put("k", "1"))),
            List.of(get("session")));
    assertThat(await(store.commit(batch))).isInstanceOf(BatchResult.Committed.class);
    assertThat(read("k")).isPresent();
  }

  // Revisions

  @Test
  void allKeysOfOneBatchShareItsRevision() {
    BatchResult.Committed result =
        commit(always(put("a", "1"), put("b", "1")), always(put("c", "1")));
    for (String name : List.of("a", "b", "c")) {
      assertThat(present(name).createRevision()).isEqualTo(result.revision());
      assertThat(present(name).modRevision()).isEqualTo(result.revision());
    }
  }

  @Test
  void writesRaiseTheRevisionByOneAndReadsLeaveIt() {
    long start = run(put("a", "1")).revision();
    assertThat(start).isPositive();
    assertThat(run(get("a")).revision()).isEqualTo(start);
    assertThat(run(delete("not-there")).revision()).isEqualTo(start);
    assertThat(await(store.range(all(), 1)).revision()).isEqualTo(start);
    assertThat(run(delete("a")).revision()).isEqualTo(start + 1);
    assertThat(run(put("a", "1")).revision()).isEqualTo(start + 2);
  }

  @Test
  void aPutOverAKeyKeepsItsCreateRevision() {
    long created = run(put("k", "1")).revision();
    long modified = run(put("k", "2")).revision();
    assertThat(present("k"))
        .isEqualTo(new Entry(key("k"), Value.of("2"), created, modified, LeaseHandle.NONE));
  }

  @Test
  void aRecreatedKeyIsYoungerThanEverythingBefore() {
    run(put("k", "1"));
    run(delete("k"));
    long before = run(put("other", "1")).revision();
    run(put("k", "1"));
    assertThat(present("k").createRevision()).isGreaterThan(before);
  }

  // Steps

  @Test
  void firstCreatedIgnoresKeyOrderAndLaterChanges() {
    assertThat(run(new Op.FirstCreated(under("r/"))).members().get(0).entry(0)).isEmpty();
    run(put("r", "outside"));
    run(put("r/z", "1"));
    run(put("r/a", "1"));
    run(put("r/z", "2"));
    Optional<Entry> first = run(new Op.FirstCreated(under("r/"))).members().get(0).entry(0);
    assertThat(first.orElseThrow().key()).isEqualTo(key("r/z"));
    assertThat(first.orElseThrow().value()).isEqualTo(Value.of("2"));
  }

  @Test
  void valuesOfAnyBytesComeBackAsTheyWere() {
    byte[] every = new byte[256];
    for (int i = 0; i < every.length; i++) {
      every[i] = (byte) i;
    }
    run(new Op.Put(key("every"), Value.of(every), LeaseHandle.NONE));
    run(new Op.Put(key("empty"), Value.EMPTY, LeaseHandle.NONE));
    assertThat(present("every").value()).isEqualTo(Value.of(every));
    assertThat(present("empty").value()).isEqualTo(Value.EMPTY);
  }

  @Test
  void deletingAnAbsentKeyIsNothing() {
    assertThat(run(delete("k"), put("a", "1")).members().get(0).results())
        .containsExactly(new OpResult.Done(), new OpResult.Done());
    assertThat(snapshot()).containsOnlyKeys(key("a"));
  }

  @Test
  void touchMovesTheKeyAndKeepsValueAndCreateRevision() {
    LeaseHandle lease = await(store.grant(600));
    long created = run(put("k", "1")).revision();
    long touched = run(touch("k", lease)).revision();
    assertThat(touched).isEqualTo(created + 1);
    assertThat(present("k")).isEqualTo(new Entry(key("k"), Value.of("1"), created, touched, lease));
    run(touch("k", LeaseHandle.NONE));
    assertThat(present("k").lease()).isEqualTo(LeaseHandle.NONE);
  }

  // Refusals

  @Test
  void touchOfAnAbsentKeyRefusesTheWholeBatch() {
    assertRefused(
        Kind.DEFINITE, batch(always(put("a", "1")), always(touch("k", LeaseHandle.NONE))));
  }

  @Test
  void touchOfAnAbsentKeyInTheBranchNotTakenIsFine() {
    commit(when(absent("k"), List.of(put("k", "1")), List.of(touch("k", LeaseHandle.NONE))));
    assertThat(read("k")).isPresent();
  }

  @Test
  void aKeyWrittenByTwoMembersRefusesTheWholeBatch() {
    run(put("k", "0"));
    assertRefused(Kind.DEFINITE, batch(always(put("k", "1")), always(put("k", "2"))));
    assertRefused(
        Kind.DEFINITE, batch(always(put("k", "1")), always(touch("k", LeaseHandle.NONE))));
    assertRefused(Kind.DEFINITE, batch(always(delete("k")), always(put("k", "2"))));
    assertRefused(
        Kind.DEFINITE,
        batch(
            when(absent("k"), List.of(put("k", "1")), List.of()),
            when(absent("k"), List.of(), List.of(put("k", "2"))),
            always(put("innocent", "1"))));
  }

  @Test
  void aKeyWrittenTwiceInABranchRefusesTheWholeBatch() {
    run(put("k", "0"));
    assertRefused(
        Kind.DEFINITE, batch(always(put("a", "1")), always(put("k", "1"), put("k", "2"))));
    assertRefused(Kind.DEFINITE, batch(always(delete("k"), put("k", "2"))));
    assertRefused(Kind.DEFINITE, batch(always(put("k", "2"), delete("k"))));
  }

  @Test
  void bothBranchesOfAMemberMayWriteTheSameKey() {
    commit(when(absent("k"), List.of(put("k", "1")), List.of(delete("k"))));
    assertThat(read("k")).isPresent();
    commit(when(absent("k"), List.of(put("k", "1")), List.of(delete("k"))));
    assertThat(read("k")).isEmpty();
  }

  @Test
  void aFullBatchIsAcceptedAndALargerOneRefused() {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < BatchRules.MAX_MEMBERS; i++) {
      members.add(always(put("m/" + i, "1")));
    }
    Op[] wide = new Op[BatchRules.MAX_WIDTH - BatchRules.MAX_MEMBERS];
    for (int i = 0; i < wide.length; i++) {
      wide[i] = put("w/" + i, "1");
    }
    members.set(0, always(wide));
    commit(members.toArray(Member[]::new));
    assertThat(snapshot()).hasSize(BatchRules.MAX_MEMBERS - 1 + wide.length);
    List<Member> tooMany = new ArrayList<>(members);
    tooMany.add(always(put("m/more", "1")));
    assertRefused(Kind.DEFINITE, new Batch(List.of(), tooMany, List.of()));
    Value large = Value.of(new byte[BatchRules.MAX_BYTES]);
    assertRefused(Kind.DEFINITE, batch(always(new Op.Put(key("large"), large, LeaseHandle.NONE))));
  }

  // Ranges

  @Test
  void aRangeHoldsItsPrefixOnlyInKeyOrder() {
    for (String name : List.of("r/b", "r/a/x", "r", "r0", "r-", "r/a", "ra/")) {
      run(put(name, name));
    }
    RangePage page = await(store.range(under("r/"), 100));
    assertThat(page.entries())
        .extracting(Entry::key)
        .containsExactly(key("r/a"), key("r/a/x"), key("r/b"));
    assertThat(page.more()).isFalse();
    assertThat(page.revision()).isEqualTo(revision());
  }

  @Test
  void aRangeIsReadInPages() {
    for (String name : List.of("r/a", "r/b", "r/c")) {
      run(put(name, name));
    }
    RangePage first = await(store.range(under("r/"), 2));
    assertThat(first.entries()).extracting(Entry::key).containsExactly(key("r/a"), key("r/b"));
    assertThat(first.more()).isTrue();
    KeyRange rest = new KeyRange(key("r/b!"), under("r/").to());
    RangePage second = await(store.range(rest, 1));
    assertThat(second.entries()).extracting(Entry::key).containsExactly(key("r/c"));
    assertThat(second.more()).isFalse();
  }

  // Concurrency

  @Test
  void concurrentIncrementsLoseNothing() {
    int writers = 16;
    int increments = 20;
    run(new Op.Put(key("n"), Value.ofLong(0), LeaseHandle.NONE));
    List<Future<Integer>> all = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      all.add(increment(increments));
    }
    awaitAll(all);
    assertThat(present("n").value()).isEqualTo(Value.ofLong((long) writers * increments));
  }

  private Future<Integer> increment(int times) {
    if (times == 0) {
      return Future.succeededFuture(0);
    }
    return store
        .commit(batch(always(get("n"))))
        .compose(
            read -> {
              Entry seen = ((BatchResult.Committed) read).members().get(0).entry(0).orElseThrow();
              Value next = Value.ofLong(seen.value().read().getLong() + 1);
              Op put = new Op.Put(key("n"), next, LeaseHandle.NONE);
              return store.commit(
                  batch(
                      when(
                          new Compare.ModifiedAt(key("n"), seen.modRevision()),
                          List.of(put),
                          List.of())));
            })
        .compose(
            done -> {
              boolean held = ((BatchResult.Committed) done).members().get(0).held();
              return increment(held ? times - 1 : times);
            });
  }

  @Test
  void everyWritingBatchHasARevisionOfItsOwn() {
    List<Future<BatchResult>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(store.commit(batch(always(put("k/" + i, "1")))));
    }
    Set<Long> revisions = new HashSet<>();
    for (BatchResult result : awaitAll(all)) {
      revisions.add(result.revision());
    }
    assertThat(revisions).hasSize(200);
    snapshot().values().forEach(e -> assertThat(revisions).contains(e.modRevision()));
  }

  @Test
  void onlyOneOfManyCreatesTheKey() {
    List<Future<BatchResult>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(store.commit(batch(when(absent("k"), List.of(put("k", "" + i)), List.of(get("k"))))));
    }
    long winners =
        awaitAll(all).stream()
            .filter(result -> ((BatchResult.Committed) result).members().get(0).held())
            .count();
    assertThat(winners).isEqualTo(1);
  }

  @Test
  void aClosedStoreRefusesDefinitely() {
    CoordinationStore closed = store;
    Future<BatchResult> accepted = closed.commit(batch(always(put("k", "1"))));
    await(closed.close());
    assertThat(await(accepted)).isInstanceOf(BatchResult.Committed.class);
    assertThat(failure(closed.commit(batch(always(put("k", "2"))))).kind())
        .isEqualTo(Kind.DEFINITE);
    assertThat(failure(closed.grant(5)).kind()).isEqualTo(Kind.DEFINITE);
    assertThat(failure(closed.range(all(), 1)).kind()).isEqualTo(Kind.DEFINITE);
    await(closed.close());
    reopen();
    assertThat(read("k").orElseThrow().value()).isEqualTo(Value.of("1"));
  }
}
