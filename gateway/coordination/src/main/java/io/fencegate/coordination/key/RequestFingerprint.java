/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * What tells two requests with one Idempotency-Key apart.
 *
 * @param hex a SHA-256 as 64 lower-case hex digits
 */
public record RequestFingerprint(String hex) {

  private static final Pattern GRAMMAR = Pattern.compile("[0-9a-f]{64}");

  /** Of a record that no request has made. */
  public static final RequestFingerprint NONE = new RequestFingerprint("0".repeat(64));

  static final int BYTES = 32;

  public RequestFingerprint {
    if (!GRAMMAR.matcher(hex).matches()) {
      throw new IllegalArgumentException("not a SHA-256 in hex: " + hex);
    }
  }

  byte[] bytes() {
    return HexFormat.of().parseHex(hex);
  }

  static RequestFingerprint ofStored(byte[] bytes) {
    return new RequestFingerprint(HexFormat.of().formatHex(bytes));
  }
}
