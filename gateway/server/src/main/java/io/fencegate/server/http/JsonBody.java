/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.regex.Pattern;

/** A JSON body: its media type, then its bytes within a bound. */
final class JsonBody {

  private static final Pattern JSON =
      Pattern.compile(
          "application/json(?:\\s*;\\s*charset\\s*=\\s*\"?utf-8\"?)?\\s*",
          Pattern.CASE_INSENSITIVE);

  /** An empty object with some white space. */
  private static final int MAX_NOTHING_BYTES = 1024;

  private JsonBody() {}

  /** A body where none is expected: absent, or an object without fields. */
  static Future<Ruling<Boolean>> readNothing(HttpServerRequest request) {
    return read(request, MAX_NOTHING_BYTES)
        .map(
            ruling ->
                ruling.then(
                    body ->
                        body.length() == 0
                            ? Ruling.granted(true)
                            : JsonFields.parse(body, List.of()).map(unused -> true)));
  }

  static Future<Ruling<Buffer>> read(HttpServerRequest request, int maxBytes) {
    String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.UNSUPPORTED_MEDIA_TYPE
                  .because(
                      "Content-Encoding " + Parsed.show(encoding) + " was given, expected none")
                  .atField("Content-Encoding")));
    }
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    if (type != null && !JSON.matcher(type).matches()) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.UNSUPPORTED_MEDIA_TYPE
                  .because(
                      "Content-Type " + Parsed.show(type) + " was given, expected application/json")
                  .atField("Content-Type")));
    }
    return BoundedBody.read(request, maxBytes);
  }
}
