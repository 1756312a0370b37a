/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.loadtest.history.Operation.Answer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class HistoryCheckerTest {

  private static HistoryBuilder history() {
    return new HistoryBuilder().at(0, 10);
  }

  private static final long PAST_TTL = HistoryBuilder.TTL_MILLIS + 100;

  @TestFactory
  List<DynamicTest> badHistoriesAreRejected() {
    return tests(
        Map.ofEntries(
            Map.entry("two holders", history().granted("a", 5).granted("b", 6)),
            Map.entry(
                "two holders at once, whichever came first",
                history().at(0, 50).granted("a", 5).at(10, 40).granted("b", 6)),
            Map.entry(
                "a token that decreases",
                history().granted("a", 5).release("a", Answer.RELEASED).granted("b", 4)),
            Map.entry(
                "a token twice",
                history().granted("a", 5).release("a", Answer.RELEASED).granted("b", 5)),
            Map.entry(
                "a renewal after the lock was lost",
                history()
                    .granted("a", 5)
                    .at(PAST_TTL, PAST_TTL + 10)
                    .granted("b", 6)
                    .renewed("a", 5)),
            Map.entry(
                "a renewal after a lost one",
                history()
                    .granted("a", 5)
                    .at(PAST_TTL, PAST_TTL + 10)
                    .renew("a", Answer.LOST)
                    .renewed("a", 5)),
            Map.entry(
                "a released lock that is renewed",
                history().granted("a", 5).release("a", Answer.RELEASED).renewed("a", 5)),
            Map.entry(
                "a renewal that changes the token", history().granted("a", 5).renewed("a", 6)),
            Map.entry(
                "a healthy lease that is lost",
                history().granted("a", 5).at(5_000, 5_010).renew("a", Answer.LOST)),
            Map.entry(
                "a renewed lease that is lost at its first end",
                history()
                    .granted("a", 5)
                    .at(9_000, 9_010)
                    .renewed("a", 5)
                    .at(PAST_TTL, PAST_TTL + 10)
                    .renew("a", Answer.LOST)),
            Map.entry(
                "a healthy lock that is free", history().granted("a", 5).at(5_000, 5_010).free()),
            Map.entry(
                "a repeat that gets another token",
                history().granted("a", 5).release("a", Answer.RELEASED).granted("a", 6)),
            Map.entry(
                "a repeat that gets another lease",
                history().granted("a", 5).granted("a", 5, "another lease", 9_000)),
            Map.entry(
                "a repeat of a released lock that has time left",
                history()
                    .granted("a", 5)
                    .release("a", Answer.RELEASED)
                    .granted("a", 5, "lease of a", 9_000)),
            Map.entry(
                "a stale lease that releases another's lock",
                history()
                    .granted("a", 5)
                    .release("a", Answer.RELEASED)
                    .granted("b", 6)
                    .release("a", Answer.RELEASED)),
            Map.entry(
                "a free lock that is held by nobody",
                history().granted("a", 5).release("a", Answer.RELEASED).held("b")),
            Map.entry(
                "a holder that is not shown",
                history().granted("a", 5).release("a", Answer.RELEASED).granted("b", 6).shown(5)),
            Map.entry(
                "a stale write applied after a newer one",
                history()
                    .granted("a", 5)
                    .write("a", 5, Answer.APPLIED)
                    .at(PAST_TTL, PAST_TTL + 10)
                    .granted("b", 6)
                    .write("b", 6, Answer.APPLIED)
                    .write("a", 5, Answer.APPLIED)),
            Map.entry(
                "a write with a token that nobody got",
                history().granted("a", 5).write("a", 9, Answer.APPLIED)),
            Map.entry(
                "a holder's write refused",
                history().granted("a", 5).write("a", 5, Answer.EXPIRED)),
            Map.entry(
                "a call without an answer that takes effect before it was made",
                history()
                    .granted("a", 5)
                    .release("a", Answer.RELEASED)
                    .held("b")
                    .acquire("c", Answer.UNKNOWN)),
            Map.entry(
                "a call without an answer that takes effect twice",
                history()
                    .acquire("a", Answer.UNKNOWN)
                    .granted("a", 5)
                    .release("a", Answer.RELEASED)
                    .at(PAST_TTL, PAST_TTL + 10)
                    .held("b"))),
        Verdict.Violation.class);
  }

  @TestFactory
  List<DynamicTest> goodHistoriesAreAccepted() {
    return tests(
        Map.ofEntries(
            Map.entry("nothing", history()),
            Map.entry(
                "one after the other",
                history()
                    .granted("a", 5)
                    .held("b")
                    .renewed("a", 5)
                    .shown(5)
                    .release("a", Answer.RELEASED)
                    .release("a", Answer.ALREADY_RELEASED)
                    .free()
                    .granted("b", 6)
                    .release("a", Answer.NOT_HELD)
                    .renew("a", Answer.LOST)),
            Map.entry(
                "a lease that ends in time",
                history().granted("a", 5).at(PAST_TTL, PAST_TTL + 10).granted("b", 6)),
            Map.entry(
                "a lease that lives longer than it must",
                history().granted("a", 5).at(3 * PAST_TTL, 3 * PAST_TTL + 10).renewed("a", 5)),
            Map.entry(
                "answers that overtake each other",
                history()
                    .granted("a", 5)
                    .at(100, 900)
                    .granted("b", 6)
                    .at(200, 300)
                    .release("a", Answer.RELEASED)),
            Map.entry(
                "the same acquire on two gateways at once",
                history().at(0, 50).granted("a", 5).at(10, 60).granted("a", 5)),
            Map.entry(
                "a repeat after the release, without time left",
                history()
                    .granted("a", 5)
                    .release("a", Answer.RELEASED)
                    .granted("a", 5, "lease of a", 0)),
            Map.entry(
                "a repeat after no answer",
                history().acquire("a", Answer.UNKNOWN).held("b").granted("a", 5)),
            Map.entry(
                "a call without an answer that is done much later",
                history()
                    .granted("a", 5)
                    .acquire("b", Answer.UNKNOWN)
                    .held("b")
                    .release("a", Answer.RELEASED)
                    .free()
                    .held("c")
                    .shown(6)),
            Map.entry(
                "a call without an answer that is never done",
                history().acquire("a", Answer.UNKNOWN).free().free()),
            Map.entry(
                "a release without an answer, done between two looks",
                history().granted("a", 5).release("a", Answer.UNKNOWN).shown(5).free()),
            Map.entry(
                "a renewal without an answer does not make the lease surer",
                history()
                    .granted("a", 5)
                    .at(9_000, 9_010)
                    .renew("a", Answer.UNKNOWN)
                    .at(PAST_TTL, PAST_TTL + 10)
                    .renew("a", Answer.LOST)),
            Map.entry(
                "a queue that is not empty",
                history()
                    .granted("a", 5)
                    .at(20, 900)
                    .waited("b", Answer.NOT_DONE)
                    .at(30, 40)
                    .release("a", Answer.RELEASED)
                    .at(50, 60)
                    .held("c")),
            Map.entry(
                "writes while the token is the highest applied",
                history()
                    .granted("a", 5)
                    .write("a", 5, Answer.APPLIED)
                    .at(PAST_TTL, PAST_TTL + 10)
                    .granted("b", 6)
                    .write("a", 5, Answer.APPLIED)
                    .write("b", 6, Answer.APPLIED)
                    .write("a", 5, Answer.STALE))),
        Verdict.Explained.class);
  }

  private static List<DynamicTest> tests(
      Map<String, HistoryBuilder> histories, Class<? extends Verdict> expected) {
    return histories.entrySet().stream()
        .map(
            it ->
                DynamicTest.dynamicTest(
                    it.getKey(), () -> assertThat(it.getValue().verdict()).isInstanceOf(expected)))
        .toList();
  }

  @Test
  void anExcerptShowsOnlyTheCallsThatContradictEachOther() {
    HistoryBuilder history = history();
    for (int i = 1; i <= 50; i++) {
      history
          .granted("q" + i, i)
          .held("x" + i)
          .renewed("q" + i, i)
          .release("q" + i, Answer.RELEASED);
    }
    history.granted("a", 60).granted("b", 61).release("b", Answer.RELEASED);
    Verdict verdict = history.verdict();
    assertThat(verdict).isInstanceOf(Verdict.Violation.class);
    assertThat(((Verdict.Violation) verdict).excerpt())
        .contains("these 2 calls", "GRANTED token 60", "GRANTED token 61")
        .doesNotContain("q50");
  }
}
