/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.coordination.key.RecordedAnswer;
import io.vertx.core.MultiMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The headers of an answer that are recorded, pure: those that say what was answered. What is about
 * one connection, one moment or one session ({@code Date}, {@code Set-Cookie}) is not.
 */
final class KeptHeaders {

  /** What describes a body, so that it is of no use without one. */
  private static final Set<String> OF_THE_BODY =
      Set.of("content-type", "content-encoding", "content-language", "content-disposition");

  private static final Set<String> OTHERS =
      Set.of(
          "allow",
          "cache-control",
          "content-location",
          "etag",
          "last-modified",
          "link",
          "location",
          "preference-applied",
          "retry-after",
          "vary");

  /** In all; most answers have a few hundred. */
  private static final int MAX_BYTES = 8 * 1024;

  private KeptHeaders() {}

  static List<RecordedAnswer.Header> of(MultiMap headers, boolean bodyIsKept) {
    List<RecordedAnswer.Header> kept = new ArrayList<>();
    int bytes = 0;
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      boolean wanted = OTHERS.contains(name) || (bodyIsKept && OF_THE_BODY.contains(name));
      int length = header.getValue().getBytes(StandardCharsets.UTF_8).length + name.length();
      if (wanted && bytes + length <= MAX_BYTES) {
        bytes += length;
        kept.add(new RecordedAnswer.Header(header.getKey(), header.getValue()));
      }
    }
    return kept;
  }
}
