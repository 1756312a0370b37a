/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** The first 16 bytes of the SHA-256 over a request's parameters, each with its length in front. */
public final class ParameterHash {

  static final int BYTES = 16;

  private final byte[] hash;

  private ParameterHash(byte[] hash) {
    this.hash = hash;
  }

  public static ParameterHash over(String... parameters) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      for (String parameter : parameters) {
        byte[] bytes = parameter.getBytes(StandardCharsets.UTF_8);
        sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        sha256.update(bytes);
      }
      return new ParameterHash(Arrays.copyOf(sha256.digest(), BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  static ParameterHash ofStored(byte[] hash) {
    return new ParameterHash(hash.clone());
  }

  byte[] bytes() {
    return hash.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ParameterHash that && Arrays.equals(hash, that.hash);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(hash);
  }
}
