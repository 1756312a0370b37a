/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.token;

import io.fencegate.policy.name.Parsed;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * An issuer's word that it gave a token to a principal for a resource: HMAC-SHA-256, 64 lower-case
 * hex digits on the wire. Compared in constant time; see {@link SigningKey} for what is signed.
 */
public final class TokenSignature {

  private static final Pattern GRAMMAR = Pattern.compile("[0-9a-f]{64}");

  private final byte[] mac;

  TokenSignature(byte[] mac) {
    this.mac = mac;
  }

  public static Parsed<TokenSignature> parse(String text) {
    return GRAMMAR.matcher(text).matches()
        ? Parsed.valid(new TokenSignature(HexFormat.of().parseHex(text)))
        : Parsed.malformed(
            "a value of " + text.length() + " characters", "64 lower-case hex digits");
  }

  /** As it stands on the wire. */
  public String reveal() {
    return HexFormat.of().formatHex(mac);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TokenSignature that && MessageDigest.isEqual(mac, that.mac);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(mac);
  }

  /** Whoever has it can show it again, so it is not shown. */
  @Override
  public String toString() {
    return "TokenSignature[hidden]";
  }
}
