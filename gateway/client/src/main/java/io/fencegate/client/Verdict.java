/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.client.Transport.Reply;
import io.fencegate.policy.outcome.Certainty;

/** What a reply says, whatever was asked: yes with a document, or no with a problem. */
sealed interface Verdict {

  /** The gateway did it. */
  record Yes(Json.Obj document, boolean replayed) implements Verdict {}

  /** It did not, or nobody knows. */
  record No(Problem problem) implements Verdict {}

  /** Nobody was asked. */
  record NotSent(String reason) implements Verdict {}

  static Verdict of(Reply reply) {
    return reply.fold(
        Verdict::ofAnswer,
        notSent -> new NotSent(notSent.reason()),
        inDoubt -> new No(Problem.inDoubt(inDoubt.reason())));
  }

  private static Verdict ofAnswer(Reply.Answer answer) {
    if (!answer.isSuccess()) {
      return new No(Problem.of(answer));
    }
    try {
      return JsonReader.read(answer.body()) instanceof Json.Obj document
          ? new Yes(document, answer.replayed())
          : new No(Problem.unusable(answer, "expected a JSON object"));
    } catch (JsonReader.Malformed e) {
      return new No(Problem.unusable(answer, String.valueOf(e.getMessage())));
    }
  }

  /** A yes that lacks what a yes has to say. */
  static No incomplete(String member) {
    return new No(
        Problem.ofOwn(
            "unusable-answer",
            "the answer says yes without a usable " + member,
            Certainty.UNKNOWN,
            false));
  }
}
