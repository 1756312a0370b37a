/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.token.FencingToken;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * That writes of this owner may be on their way to a resource, as text: {@code <session> from
 * <token> for <milliseconds>}.
 *
 * @param session the owner's
 * @param lowest no write on its way has a lower token
 * @param longest how long one of its writes may be under way
 */
public record MarkRecord(String session, FencingToken lowest, Duration longest) {

  private static final String FROM = " from ";
  private static final String FOR = " for ";

  public Value encode() {
    return Value.of(session + FROM + lowest + FOR + longest.toMillis() + "\n");
  }

  public static MarkRecord decode(Value value) {
    String text = new String(value.toBytes(), StandardCharsets.UTF_8).strip();
    int from = text.indexOf(FROM);
    int during = text.indexOf(FOR);
    if (from < 1 || during < from) {
      throw new UnreadableRecord("the mark of an owner");
    }
    return new MarkRecord(
        text.substring(0, from),
        FencingToken.parse(text.substring(from + FROM.length(), during)).orThrow(),
        Duration.ofMillis(Long.parseLong(text.substring(during + FOR.length()))));
  }
}
