/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

import io.fencegate.loadtest.history.Operation.Answer;
import io.fencegate.loadtest.history.Operation.Kind;
import io.fencegate.loadtest.history.Operation.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Short words for histories; times are milliseconds. */
final class HistoryBuilder {

  static final long TTL_MILLIS = 10_000;

  private final List<Operation> operations = new ArrayList<>();
  private long from;
  private long to;

  /** The next call starts and ends then. */
  HistoryBuilder at(long fromMillis, long toMillis) {
    from = fromMillis;
    to = toMillis;
    return this;
  }

  HistoryBuilder granted(String request, long token) {
    return granted(request, token, "lease of " + request, TTL_MILLIS);
  }

  HistoryBuilder granted(String request, long token, String lease, long remainingMillis) {
    return add(
        Kind.ACQUIRE, request, "", 0, new Result(Answer.GRANTED, token, lease, remainingMillis));
  }

  HistoryBuilder held(String request) {
    return acquire(request, Answer.HELD);
  }

  HistoryBuilder acquire(String request, Answer answer) {
    return add(Kind.ACQUIRE, request, "", 0, Result.of(answer));
  }

  HistoryBuilder waited(String request, Answer answer) {
    return add(Kind.WAIT, request, "", 0, Result.of(answer));
  }

  HistoryBuilder renewed(String request, long token) {
    return add(
        Kind.RENEW,
        "",
        "lease of " + request,
        0,
        new Result(Answer.RENEWED, token, "", TTL_MILLIS));
  }

  HistoryBuilder renew(String request, Answer answer) {
    return add(Kind.RENEW, "", "lease of " + request, 0, Result.of(answer));
  }

  HistoryBuilder release(String request, Answer answer) {
    return add(Kind.RELEASE, "", "lease of " + request, 0, Result.of(answer));
  }

  HistoryBuilder free() {
    return add(Kind.SHOW, "", "", 0, Result.of(Answer.FREE));
  }

  HistoryBuilder shown(long token) {
    return add(Kind.SHOW, "", "", 0, new Result(Answer.SHOWN_HELD, token, "", 0));
  }

  HistoryBuilder write(String request, long token, Answer answer) {
    return add(Kind.WRITE, "", "lease of " + request, token, Result.of(answer));
  }

  private HistoryBuilder add(Kind kind, String request, String lease, long token, Result result) {
    int id = operations.size();
    operations.add(
        new Operation(
            id,
            0,
            "r",
            kind,
            request,
            lease,
            token,
            result,
            TimeUnit.MILLISECONDS.toNanos(from),
            TimeUnit.MILLISECONDS.toNanos(to)));
    from = to + 1;
    to = from + 10;
    return this;
  }

  List<Operation> operations() {
    return operations;
  }

  Verdict verdict() {
    return HistoryChecker.check(operations);
  }
}
