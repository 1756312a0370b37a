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
 * @param named whether its writes carry their names, so that the downstream can be asked
 */
public record MarkRecord(String session, FencingToken lowest, Duration longest, boolean named) {

  private static final String FROM = " from ";
  private static final String FOR = " for ";
  private static final String NAMED = " named";

  public Value encode() {
    return Value.of(
        session + FROM + lowest + FOR + longest.toMillis() + (named ? NAMED : "") + "\n");
  }

  public static MarkRecord decode(Value value) {
    String all = new String(value.toBytes(), StandardCharsets.UTF_8).strip();
    boolean named = all.endsWith(NAMED);
    String text = named ? all.substring(0, all.length() - NAMED.length()) : all;
    int from = text.indexOf(FROM);
    int during = text.indexOf(FOR);
    if (from < 1 || during < from) {
      throw new UnreadableRecord("the mark of an owner");
    }
    return new MarkRecord(
        text.substring(0, from),
        FencingToken.parse(text.substring(from + FROM.length(), during)).orThrow(),
        Duration.ofMillis(Long.parseLong(text.substring(during + FOR.length()))),
        named);
  }
}
