/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.token.FencingToken;
import java.nio.charset.StandardCharsets;

/**
 * That writes of this owner may be on their way to a resource, as text: {@code <session> from
 * <token>}.
 *
 * @param session the owner's
 * @param lowest no write on its way has a lower token
 */
public record MarkRecord(String session, FencingToken lowest) {

  private static final String FROM = " from ";

  public Value encode() {
    return Value.of(session + FROM + lowest + "\n");
  }

  public static MarkRecord decode(Value value) {
    String text = new String(value.toBytes(), StandardCharsets.UTF_8).strip();
    int from = text.indexOf(FROM);
    if (from < 1) {
      throw new UnreadableRecord("the mark of an owner");
    }
    return new MarkRecord(
        text.substring(0, from),
        FencingToken.parse(text.substring(from + FROM.length())).orThrow());
  }
}
