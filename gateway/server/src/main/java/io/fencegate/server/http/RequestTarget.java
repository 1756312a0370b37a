/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.name.RequestPath;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;

/**
 * What a proxied request asks for, in the spelling that is both matched and forwarded.
 *
 * @param query with its question mark, as it came; empty where there is none
 */
record RequestTarget(RequestPath path, String query) {

  private static final char FIRST_VISIBLE = '!';
  private static final char LAST_VISIBLE = '~';

  static Ruling<RequestTarget> parse(String uri) {
    int mark = uri.indexOf('?');
    String path = mark < 0 ? uri : uri.substring(0, mark);
    String query = mark < 0 ? "" : uri.substring(mark);
    if (!query.chars().allMatch(RequestTarget::belongs)) {
      return Ruling.refused(
          RefusalCode.INVALID_REQUEST
              .because("the query has characters that do not belong there")
              .atField("query"));
    }
    return RequestPath.parse(path)
        .fold(
            parsed -> Ruling.granted(new RequestTarget(parsed, query)),
            bad -> Ruling.refused(Refusal.malformed(RefusalCode.INVALID_REQUEST, "path", bad)));
  }

  private static boolean belongs(int c) {
    return c >= FIRST_VISIBLE && c <= LAST_VISIBLE && c != '#';
  }

  String text() {
    return path.text() + query;
  }
}
