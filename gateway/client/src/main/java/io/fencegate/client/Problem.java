/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.token.FencingToken;
import org.jspecify.annotations.Nullable;

/**
 * Why there is no yes, as the gateway said it (RFC 9457) or, with status 0, as the SDK found it.
 *
 * @param status the HTTP status; 0 when nothing was answered
 * @param code the gateway's code, e.g. {@code stale-token}; of the SDK's own: {@code no-answer},
 *     {@code not-sent}, {@code unusable-answer}, {@code interrupted}, {@code client-closed}
 * @param detail one sentence for people; never a secret
 * @param outcome {@code REJECTED}: proof that the request was not and will not be carried out;
 *     {@code UNKNOWN}: it may or may not be
 * @param retryable whether the very same request may be sent again
 * @param fencingToken the token that was judged
 * @param epoch the highest token accepted for the resource
 * @param retryAfterMs when a repeat has a chance, in milliseconds
 */
public record Problem(
    int status,
    String code,
    String detail,
    Certainty outcome,
    boolean retryable,
    @Nullable FencingToken fencingToken,
    @Nullable FencingToken epoch,
    @Nullable Long retryAfterMs) {

  static Problem ofOwn(String code, String detail, Certainty outcome, boolean retryable) {
    return new Problem(0, code, detail, outcome, retryable, null, null, null);
  }

  static Problem notSent(String reason) {
    return ofOwn("not-sent", reason, Certainty.REJECTED, true);
  }

  static Problem inDoubt(String reason) {
    return ofOwn("no-answer", reason, Certainty.UNKNOWN, true);
  }

  static Problem interrupted(Certainty outcome) {
    return ofOwn("interrupted", "the calling thread was interrupted", outcome, true);
  }

  /** The same problem where an earlier sending of the same request may still be carried out. */
  Problem afterDoubt() {
    return new Problem(
        status, code, detail, Certainty.UNKNOWN, retryable, fencingToken, epoch, retryAfterMs);
  }

  /** An answer that is no success. Whatever is not a proof of a no counts as unknown. */
  static Problem of(Transport.Reply.Answer answer) {
    if (!answer.contentType().startsWith("application/problem+json")) {
      return unusable(answer, "expected a problem document");
    }
    try {
      return JsonReader.read(answer.body()) instanceof Json.Obj document
          ? of(answer.status(), document)
          : unusable(answer, "expected a JSON object");
    } catch (JsonReader.Malformed e) {
      return unusable(answer, String.valueOf(e.getMessage()));
    }
  }

  private static Problem of(int status, Json.Obj document) {
    String code = document.text("code");
    String detail = document.text("detail");
    boolean proof = Certainty.REJECTED.wireName().equals(document.text("outcome"));
    return new Problem(
        status,
        code == null ? "unknown-code" : code,
        detail == null ? "" : detail,
        proof ? Certainty.REJECTED : Certainty.UNKNOWN,
        document.flag("retryable", false),
        token(document, "fencingToken"),
        token(document, "epoch"),
        document.wholeNumber("retryAfterMs"));
  }

  static Problem unusable(Transport.Reply.Answer answer, String why) {
    return new Problem(
        answer.status(),
        "unusable-answer",
        "the answer with status " + answer.status() + " is not a gateway's: " + why,
        Certainty.UNKNOWN,
        false,
        null,
        null,
        null);
  }

  /** A token member, as a string or a whole number. */
  static @Nullable FencingToken token(Json.Obj document, String name) {
    Json value = document.get(name);
    String text = value instanceof Json.Num n ? n.literal() : document.text(name);
    if (text == null) {
      return null;
    }
    Parsed<FencingToken> parsed = FencingToken.parse(text);
    return parsed instanceof Parsed.Valid<FencingToken> valid ? valid.value() : null;
  }
}
