/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A request as it goes over the wire. The token and the lease are on every one, whoever looks at
 * them, so that all rows carry the same bytes.
 *
 * @param method such as {@code PUT}
 * @param target path, beginning with a slash
 * @param body ASCII, empty for none
 */
record Request(String method, String target, HeldLock lock, String body) {

  private static final String END = "\r\n";

  /** The first line and all headers, each with its end of line. */
  String head() {
    List<String> lines = new ArrayList<>();
    lines.add(method + " " + target + " HTTP/1.1");
    lines.add("Host: 127.0.0.1");
    lines.add("Fencing-Token: " + lock.token());
    lines.add("Fencing-Lease: " + lock.leaseId());
    if (!body.isEmpty()) {
      lines.add("Content-Type: application/json");
    }
    if (!method.equals("GET")) {
      lines.add("Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length);
    }
    return String.join(END, lines) + END;
  }

  /** All of it. */
  String text() {
    return head() + END + body;
  }
}
