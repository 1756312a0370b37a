/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.token;

import io.fencegate.policy.name.Parsed;
import java.util.Arrays;
import java.util.Base64;

/**
 * The secret that proves the present ownership of a lock: 128 random bits, base64url on the wire
 * (22 characters, no padding). {@link #toString()} shows only the fingerprint; {@link #reveal()} is
 * for the answer to the holder and for the coordinator's record, nothing else.
 */
public final class LeaseId {

  /** Bytes of a lease id. */
  public static final int BYTES = 16;

  private static final int CHARS = 22;

  /** The only ones whose last four bits, which belong to no byte, are zero. */
  private static final String LAST_CHARS = "AQgw";

  private static final String EXPECTED =
      "the 22 characters of a leaseId as the acquire answered it";

  private final byte[] secret;

  private LeaseId(byte[] secret) {
    this.secret = secret;
  }

  /**
   * A lease id of these bytes.
   *
   * @param randomBytes {@value #BYTES} bytes from a secure random source
   */
  public static LeaseId of(byte[] randomBytes) {
    if (randomBytes.length != BYTES) {
      throw new IllegalArgumentException("a lease id has 16 bytes, not " + randomBytes.length);
    }
    return new LeaseId(randomBytes.clone());
  }

  public static Parsed<LeaseId> parse(String text) {
    return isWellFormed(text)
        ? Parsed.valid(new LeaseId(Base64.getUrlDecoder().decode(text)))
        : Parsed.malformed("a value of " + text.length() + " characters", EXPECTED);
  }

  private static boolean isWellFormed(String text) {
    return text.length() == CHARS
        && LAST_CHARS.indexOf(text.charAt(CHARS - 1)) >= 0
        && text.chars().allMatch(LeaseId::isBase64Url);
  }

  private static boolean isBase64Url(int c) {
    return (c >= 'A' && c <= 'Z')
        || (c >= 'a' && c <= 'z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_';
  }

  /** The secret as it stands on the wire. */
  public String reveal() {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
  }

  public byte[] bytes() {
    return secret.clone();
  }

  public LeaseProof proof() {
    return LeaseProof.of(secret);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LeaseId that && proof().equals(that.proof());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(secret);
  }

  @Override
  public String toString() {
    return "lease:" + proof().fingerprint();
  }
}
