/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

import java.nio.charset.StandardCharsets;

/**
 * Who holds a lock, for people: free text without control characters, at most 128 bytes of UTF-8.
 */
public record HolderId(String value) {

  private static final int MAX_BYTES = 128;
  private static final String EXPECTED = "0 to 128 bytes of UTF-8 without control characters";

  /** What stands where the caller gave no holder. */
  public static final HolderId UNNAMED = new HolderId("");

  public HolderId {
    if (!isValid(value)) {
      throw new IllegalArgumentException(Parsed.show(value) + " is not a holder id");
    }
  }

  public static Parsed<HolderId> parse(String text) {
    return isValid(text) ? Parsed.valid(new HolderId(text)) : Parsed.malformed(text, EXPECTED);
  }

  private static boolean isValid(String text) {
    return text.length() <= MAX_BYTES
        && StandardCharsets.UTF_8.newEncoder().canEncode(text)
        && text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES
        && text.chars().noneMatch(Character::isISOControl);
  }

  @Override
  public String toString() {
    return value;
  }
}
