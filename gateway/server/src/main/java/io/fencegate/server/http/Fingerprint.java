/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What makes two requests the same one: SHA-256 over method, path, query and body, byte for byte,
 * each with its length in front. How the body was framed does not matter, white space in it does.
 */
final class Fingerprint {

  private Fingerprint() {}

  static String over(String method, String path, @Nullable String query, Buffer body) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      add(sha256, method.getBytes(StandardCharsets.UTF_8));
      add(sha256, path.getBytes(StandardCharsets.UTF_8));
      add(sha256, (query == null ? "" : query).getBytes(StandardCharsets.UTF_8));
      add(sha256, body.getBytes());
      return HexFormat.of().formatHex(sha256.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static void add(MessageDigest digest, byte[] part) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).flip());
    digest.update(part);
  }
}
