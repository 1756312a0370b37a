/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.outcome;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.token.FencingToken;
import org.jspecify.annotations.Nullable;

/**
 * A no with its reason, as a caller can act on it. Optional facts are null where they do not apply.
 *
 * @param detail what was given and what was expected; never a secret
 * @param certainty what is known of the request's effect
 * @param retryable whether the very same request may be sent again
 * @param field the request's field or header that is at fault
 * @param epoch the highest accepted token of the resource
 * @param retryAfterMillis a hint when a repeat has a chance
 * @param sqlState the database's own code
 */
public record Refusal(
    RefusalCode code,
    String detail,
    Certainty certainty,
    boolean retryable,
    @Nullable String field,
    @Nullable FencingToken epoch,
    @Nullable Long retryAfterMillis,
    @Nullable String sqlState) {

  static Refusal of(RefusalCode code, String detail) {
    return new Refusal(code, detail, code.certainty(), code.retryable(), null, null, null, null);
  }

  /** The refusal of a field that a strict parser did not take. */
  public static Refusal malformed(RefusalCode code, String field, Parsed.Malformed<?> bad) {
    return of(code, field + ": " + bad.message()).atField(field);
  }

  public Refusal atField(String name) {
    return new Refusal(code, detail, certainty, retryable, name, epoch, retryAfterMillis, sqlState);
  }

  public Refusal withEpoch(FencingToken highest) {
    return new Refusal(
        code, detail, certainty, retryable, field, highest, retryAfterMillis, sqlState);
  }

  public Refusal retryAfter(long millis) {
    return new Refusal(code, detail, certainty, retryable, field, epoch, millis, sqlState);
  }

  public Refusal withSqlState(String state) {
    return new Refusal(code, detail, certainty, retryable, field, epoch, retryAfterMillis, state);
  }

  /** The same refusal of a request that was certainly not carried out. */
  public Refusal nothingDone() {
    return new Refusal(
        code, detail, Certainty.REJECTED, retryable, field, epoch, retryAfterMillis, sqlState);
  }

  /** The same refusal where the request may have been carried out after all. */
  public Refusal inDoubt() {
    return new Refusal(
        code, detail, Certainty.UNKNOWN, retryable, field, epoch, retryAfterMillis, sqlState);
  }
}
