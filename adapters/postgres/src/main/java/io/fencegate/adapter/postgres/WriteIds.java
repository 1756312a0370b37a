/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Names of transactions: 16 hex digits of the database's clock, so that the database can tell old
 * ones, and 128 random bits.
 */
final class WriteIds {

  private static final int RANDOM_BYTES = 16;
  private static final Pattern GRAMMAR = Pattern.compile("[0-9a-f]{48}");

  private final SecureRandom random;

  WriteIds(SecureRandom random) {
    this.random = random;
  }

  String next(long databaseMicros) {
    byte[] bits = new byte[RANDOM_BYTES];
    random.nextBytes(bits);
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(databaseMicros) + hex.formatHex(bits);
  }

  static boolean isOne(String text) {
    return GRAMMAR.matcher(text).matches();
  }
}
