/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * How long a body is said to be, where two readers of the same bytes would say the same; whatever
 * could be framed in two ways is refused.
 */
final class BodyFraming {

  /** More digits than any body has that is let through. */
  private static final Pattern LENGTH = Pattern.compile("0|[1-9][0-9]{0,17}");

  private BodyFraming() {}

  /** The announced length, 0 without a body; empty for chunks. */
  static Ruling<OptionalLong> length(HttpServerRequest request, long maxBytes) {
    List<String> lengths = request.headers().getAll(HttpHeaders.CONTENT_LENGTH);
    List<String> codings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
    if (lengths.size() + codings.size() > 1
        || (!codings.isEmpty() && request.version() == HttpVersion.HTTP_1_0)) {
      return refused("Content-Length and Transfer-Encoding: expected one of them, once");
    }
    if (!codings.isEmpty()) {
      return Ruling.granted(OptionalLong.empty());
    }
    if (lengths.isEmpty()) {
      return Ruling.granted(
          request.version() == HttpVersion.HTTP_2 && !request.isEnded()
              ? OptionalLong.empty()
              : OptionalLong.of(0));
    }
    if (!LENGTH.matcher(lengths.get(0)).matches()) {
      return refused("Content-Length: expected a plain number of bytes");
    }
    long length = Long.parseLong(lengths.get(0));
    return length > maxBytes
        ? Ruling.refused(
            RefusalCode.BODY_TOO_LARGE.because("the body is larger than " + maxBytes + " bytes"))
        : Ruling.granted(OptionalLong.of(length));
  }

  private static Ruling<OptionalLong> refused(String why) {
    return Ruling.refused(RefusalCode.INVALID_REQUEST.because(why).atField("Content-Length"));
  }
}
