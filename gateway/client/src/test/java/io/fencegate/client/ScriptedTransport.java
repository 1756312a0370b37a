/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Answers calls as a test wrote down; a call beyond the script stays unanswered. */
final class ScriptedTransport implements Transport {

  record Sent(long atMillis, Call call, CompletableFuture<Reply> reply) {
    String header(String name) {
      return call.headers().get(name);
    }
  }

  final List<Sent> sent = new ArrayList<>();

  /** What happens to one call: time passes, then there is an answer or not. */
  private record Turn(long afterMillis, Optional<Reply> reply) {}

  private final Deque<Turn> script = new ArrayDeque<>();
  private final ManualTime time;

  ScriptedTransport(ManualTime time) {
    this.time = time;
  }

  ScriptedTransport then(Reply... replies) {
    for (Reply reply : replies) {
      script.add(new Turn(0, Optional.of(reply)));
    }
    return this;
  }

  /** The next call is answered after this time. */
  ScriptedTransport thenAfter(long millis, Reply reply) {
    script.add(new Turn(millis, Optional.of(reply)));
    return this;
  }

  /** The next call is not answered, and this time passes. */
  ScriptedTransport thenSilence(long millis) {
    script.add(new Turn(millis, Optional.empty()));
    return this;
  }

  List<String> paths() {
    return sent.stream().map(it -> it.call().path()).toList();
  }

  @Override
  public synchronized CompletableFuture<Reply> send(Call call, Duration patience) {
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    sent.add(new Sent(time.millis(), call, reply));
    Turn turn = script.poll();
    if (turn != null) {
      if (turn.afterMillis() > 0) {
        time.advance(turn.afterMillis());
      }
      turn.reply().ifPresent(reply::complete);
    }
    return reply;
  }

  Sent last() {
    return sent.get(sent.size() - 1);
  }

  static Reply ok(String body) {
    return new Reply.Answer(200, "application/json", false, body);
  }

  static Reply problem(int status, String code, String outcome, boolean retryable) {
    return new Reply.Answer(
        status,
        "application/problem+json",
        false,
        String.format(
            "{\"status\":%d,\"code\":\"%s\",\"detail\":\"why\",\"outcome\":\"%s\",\"retryable\":%b}",
            status, code, outcome, retryable));
  }

  static Reply granted(String token, long ttlMillis) {
    return ok(
        String.format(
            "{\"resource\":\"settlement/eu\",\"leaseId\":\"c2VjcmV0LXNlY3JldC1zZQ\","
                + "\"fencingToken\":\"%s\",\"leaseTtlMs\":%d,\"remainingMs\":%d}",
            token, ttlMillis, ttlMillis));
  }

  static Reply renewed(String token, long remainingMillis) {
    return ok(
        String.format(
            "{\"resource\":\"settlement/eu\",\"fencingToken\":\"%s\",\"remainingMs\":%d}",
            token, remainingMillis));
  }

  static Reply applied() {
    return ok(
        "{\"resource\":\"settlement/eu\",\"fencingToken\":\"42\",\"epoch\":\"42\","
            + "\"outcome\":\"applied\",\"results\":[{\"rowCount\":1,\"n\":12.500}]}");
  }
}
