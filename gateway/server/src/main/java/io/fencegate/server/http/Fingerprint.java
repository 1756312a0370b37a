/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.token.Sha256;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What makes two requests the same one: SHA-256 over method, path, query and body, byte for byte,
 * each with its length in front. How the body was framed does not matter, white space in it does.
 */
final class Fingerprint {

  private Fingerprint() {}

  static String over(String method, String path, @Nullable String query, Buffer body) {
    return HexFormat.of()
        .formatHex(
            Sha256.ofParts(
                method.getBytes(StandardCharsets.UTF_8),
                path.getBytes(StandardCharsets.UTF_8),
                (query == null ? "" : query).getBytes(StandardCharsets.UTF_8),
                body.getBytes()));
  }
}
