/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.loadtest.history.Operation.Answer;
import io.fencegate.loadtest.history.Operation.Kind;
import io.fencegate.loadtest.history.Operation.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Histories made from one lock that calls reach one after another, with starts and answers moved
 * apart at random. They are right by construction; with one answer falsified they are not.
 */
class RandomHistoriesTest {

  private static final int HISTORIES = Boolean.getBoolean("fencegate.full") ? 3_000 : 150;
  private static final int CALLS = 400;
  private static final long TTL_MILLIS = 500;
  private static final long SEED = Long.getLong("fencegate.seed", new Random().nextLong() >>> 16);

  /** The lock that the calls really reach, in milliseconds. */
  private static final class Lock {
    private final Random random;
    private final List<Operation> history = new ArrayList<>();
    private long now;
    private int requests;
    private String holder = "";
    private String lastHolder = "q0";
    private long lastToken = 1;
    private long sureUntil;
    private long endsAt;

    Lock(Random random) {
      this.random = random;
    }

    List<Operation> play() {
      for (int i = 0; i < CALLS; i++) {
        now += random.nextInt(60);
        if (now >= endsAt) {
          holder = "";
        }
        call();
      }
      return history;
    }

    private void call() {
      int dice = random.nextInt(100);
      boolean mine = !holder.isEmpty() && random.nextInt(4) > 0;
      String who = mine ? holder : lastHolder;
      boolean holds = who.equals(holder);
      if (dice < 40) {
        acquire();
      } else if (dice < 65) {
        long from = now - random.nextInt(100);
        if (holds) {
          extend(from);
          add(Kind.RENEW, "", who, new Result(Answer.RENEWED, lastToken, "", TTL_MILLIS), from);
        } else {
          add(Kind.RENEW, "", who, Result.of(Answer.LOST), from);
        }
      } else if (dice < 85) {
        Answer answer =
            holds ? Answer.RELEASED : holder.isEmpty() ? Answer.ALREADY_RELEASED : Answer.NOT_HELD;
        holder = holds ? "" : holder;
        add(Kind.RELEASE, "", who, Result.of(answer), now - random.nextInt(100));
      } else {
        Result result =
            holder.isEmpty()
                ? Result.of(Answer.FREE)
                : new Result(Answer.SHOWN_HELD, lastToken, "", 0);
        add(Kind.SHOW, "", "", result, now - random.nextInt(100));
      }
    }

    private void acquire() {
      String request = "q" + ++requests;
      long from = now - random.nextInt(100);
      if (!holder.isEmpty()) {
        add(Kind.ACQUIRE, request, "", Result.of(Answer.HELD), from);
        return;
      }
      holder = request;
      lastHolder = request;
      lastToken += 1 + random.nextInt(3);
      endsAt = 0;
      sureUntil = 0;
      if (random.nextInt(20) == 0) {
        add(Kind.ACQUIRE, request, "", Result.of(Answer.UNKNOWN), from);
        from = now;
      }
      extend(from);
      add(
          Kind.ACQUIRE,
          request,
          "",
          new Result(Answer.GRANTED, lastToken, request, TTL_MILLIS),
          from);
    }

    private void extend(long from) {
      sureUntil = Math.max(sureUntil, from + TTL_MILLIS);
      endsAt = Math.max(endsAt, now + TTL_MILLIS + random.nextInt(300));
    }

    private void add(Kind kind, String request, String lease, Result result, long fromMillis) {
      long toMillis = now + random.nextInt(100);
      boolean answered = result.answer() == Answer.GRANTED || random.nextInt(40) > 0;
      history.add(
          new Operation(
              history.size(),
              0,
              "r",
              kind,
              request,
              lease,
              0,
              answered ? result : Result.of(Answer.UNKNOWN),
              TimeUnit.MILLISECONDS.toNanos(fromMillis),
              TimeUnit.MILLISECONDS.toNanos(toMillis)));
    }
  }

  private static List<Operation> history(long seed) {
    return new Lock(new Random(seed * 0x9E3779B97F4A7C15L)).play();
  }

  @Test
  void whatOneLockDidIsAcceptedHoweverTheCallsOverlap() {
    for (int i = 0; i < HISTORIES; i++) {
      assertThat(HistoryChecker.check(history(SEED + i)))
          .as("seed %d", SEED + i)
          .isInstanceOf(Verdict.Explained.class);
    }
  }

  @Test
  void oneFalseAnswerIsRejected() {
    int falsified = 0;
    for (int i = 0; i < HISTORIES / 3; i++) {
      List<Operation> history = history(SEED + i);
      for (UnaryOperator<Operation> lie : LIES) {
        List<Operation> wrong = falsify(history, lie, new Random(SEED + i));
        if (!wrong.equals(history)) {
          falsified++;
          assertThat(HistoryChecker.check(wrong))
              .as("seed %d", SEED + i)
              .isInstanceOf(Verdict.Violation.class);
        }
      }
    }
    assertThat(falsified).isGreaterThan(HISTORIES / 3);
  }

  /** Each is wrong wherever it stands: tokens and leases belong together. */
  private static final List<UnaryOperator<Operation>> LIES =
      List.of(
          op -> op.answer() == Answer.GRANTED ? with(op, op.result().token() - 50) : op,
          op -> op.answer() == Answer.RENEWED ? with(op, op.result().token() + 1_000) : op,
          op -> op.answer() == Answer.SHOWN_HELD ? with(op, op.result().token() + 1_000) : op);

  private static Operation with(Operation op, long token) {
    Result told = op.result();
    return new Operation(
        op.id(),
        op.client(),
        op.resource(),
        op.kind(),
        op.request(),
        op.lease(),
        op.token(),
        new Result(told.answer(), token, told.lease(), told.remainingMillis()),
        op.invokeNanos(),
        op.returnNanos());
  }

  /** One of the later calls that the lie fits. */
  private static List<Operation> falsify(
      List<Operation> history, UnaryOperator<Operation> lie, Random random) {
    List<Operation> wrong = new ArrayList<>(history);
    int from = CALLS / 2 + random.nextInt(CALLS / 4);
    for (int i = from; i < history.size(); i++) {
      Operation told = lie.apply(history.get(i));
      if (!told.equals(history.get(i))) {
        wrong.set(i, told);
        return wrong;
      }
    }
    return wrong;
  }
}
