/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.token;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that an issuer of tokens shares with the gateway. Signed are the UTF-8 bytes of four
 * lines, joined by a line feed and without one at the end: {@code fencegate-token-v1}, the
 * resource, the token in canonical decimal, the principal. None but the last can contain a line
 * feed, so no two writes have the same bytes.
 */
public final class SigningKey {

  /** RFC 2104: a key below the digest's length weakens the function. */
  private static final int MIN_BYTES = 32;

  private static final int MAX_BYTES = 1024;
  private static final String ALGORITHM = "HmacSHA256";
  private static final String FIRST_LINE = "fencegate-token-v1";

  private final byte[] secret;

  private SigningKey(byte[] secret) {
    this.secret = secret;
  }

  /** The UTF-8 bytes of a text. */
  public static Parsed<SigningKey> parse(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES
        ? Parsed.valid(new SigningKey(bytes))
        : Parsed.malformed(
            "a value of " + bytes.length + " bytes",
            "a secret of " + MIN_BYTES + " to " + MAX_BYTES + " bytes");
  }

  public TokenSignature sign(ResourceName resource, FencingToken token, Principal principal) {
    String signed =
        String.join("\n", FIRST_LINE, resource.value(), token.toString(), principal.value());
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      return new TokenSignature(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SigningKey that && MessageDigest.isEqual(secret, that.secret);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(secret);
  }

  @Override
  public String toString() {
    return "SigningKey[hidden]";
  }
}
