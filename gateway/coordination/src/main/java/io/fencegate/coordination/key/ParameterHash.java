/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.policy.token.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The first 16 bytes of the SHA-256 over a request's parameters, each with its length in front. */
public final class ParameterHash {

  static final int BYTES = 16;

  private final byte[] hash;

  private ParameterHash(byte[] hash) {
    this.hash = hash;
  }

  public static ParameterHash over(String... parameters) {
    byte[][] parts = new byte[parameters.length][];
    for (int i = 0; i < parameters.length; i++) {
      parts[i] = parameters[i].getBytes(StandardCharsets.UTF_8);
    }
    return new ParameterHash(Arrays.copyOf(Sha256.ofParts(parts), BYTES));
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
