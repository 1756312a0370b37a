/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

import java.util.regex.Pattern;

/**
 * The caller's own id of one acquire; a repeat with the same id is the same acquire. Should be
 * unguessable where callers are not authenticated.
 */
public record RequestId(String value) {

  private static final Pattern GRAMMAR = Pattern.compile("[A-Za-z0-9._~-]{1,128}");
  private static final String EXPECTED = "1 to 128 characters of [A-Za-z0-9._~-]";

  public RequestId {
    if (!GRAMMAR.matcher(value).matches()) {
      throw new IllegalArgumentException(Parsed.show(value) + " is not a request id");
    }
  }

  public static Parsed<RequestId> parse(String text) {
    return GRAMMAR.matcher(text).matches()
        ? Parsed.valid(new RequestId(text))
        : Parsed.malformed(text, EXPECTED);
  }

  @Override
  public String toString() {
    return value;
  }
}
