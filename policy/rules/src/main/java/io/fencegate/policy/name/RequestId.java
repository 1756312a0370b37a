/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

/**
 * The caller's own id of one acquire; a repeat with the same id is the same acquire. Should be
 * unguessable where callers are not authenticated.
 */
public record RequestId(String value) {

  private static final int MAX_CHARS = 128;
  private static final String EXPECTED = "1 to 128 characters of [A-Za-z0-9._~-]";

  public RequestId {
    if (!Unreserved.isWord(value, MAX_CHARS)) {
      throw new IllegalArgumentException(Parsed.show(value) + " is not a request id");
    }
  }

  public static Parsed<RequestId> parse(String text) {
    return Unreserved.isWord(text, MAX_CHARS)
        ? Parsed.valid(new RequestId(text))
        : Parsed.malformed(text, EXPECTED);
  }

  @Override
  public String toString() {
    return value;
  }
}
