/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.token;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 digests of 32 bytes. */
public final class Sha256 {

  private Sha256() {}

  public static byte[] of(byte[] bytes) {
    return digest().digest(bytes);
  }

  /**
   * Over several parts, each with its length in front, so that no two lists of parts look alike.
   */
  public static byte[] ofParts(byte[]... parts) {
    MessageDigest digest = digest();
    for (byte[] part : parts) {
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).flip());
      digest.update(part);
    }
    return digest.digest();
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
