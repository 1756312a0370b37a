/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.token;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The SHA-256 of a lease id: enough to recognise its owner, useless to impersonate it. Compared in
 * constant time.
 */
public final class LeaseProof {

  /** Bytes of a proof. */
  public static final int BYTES = 32;

  private static final int FINGERPRINT_HEX = 12;

  private final byte[] sha256;

  private LeaseProof(byte[] sha256) {
    this.sha256 = sha256;
  }

  static LeaseProof of(byte[] secret) {
    return new LeaseProof(Sha256.of(secret));
  }

  /** A proof as it was stored. */
  public static LeaseProof ofStored(byte[] sha256) {
    if (sha256.length != BYTES) {
      throw new IllegalArgumentException("a lease proof has 32 bytes, not " + sha256.length);
    }
    return new LeaseProof(sha256.clone());
  }

  public byte[] bytes() {
    return sha256.clone();
  }

  /** For people, logs and audit: the first 12 hex digits. Never compared. */
  public String fingerprint() {
    return HexFormat.of().formatHex(sha256).substring(0, FINGERPRINT_HEX);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LeaseProof that && MessageDigest.isEqual(sha256, that.sha256);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(sha256);
  }

  @Override
  public String toString() {
    return "lease:" + fingerprint();
  }
}
