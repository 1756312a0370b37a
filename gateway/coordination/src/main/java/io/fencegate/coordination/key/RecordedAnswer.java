/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import io.fencegate.coordination.store.Value;
import java.util.List;
import java.util.Optional;

/**
 * What a downstream answered to a keyed write, as far as it is kept.
 *
 * @param status 100 to 999
 * @param headers at most 255, in their order
 * @param body empty where it was too large to be kept
 */
public record RecordedAnswer(int status, List<Header> headers, Optional<Value> body) {

  private static final int LOWEST_STATUS = 100;
  private static final int HIGHEST_STATUS = 999;
  private static final int MAX_HEADERS = 255;

  public RecordedAnswer {
    headers = List.copyOf(headers);
    if (status < LOWEST_STATUS || status > HIGHEST_STATUS) {
      throw new IllegalArgumentException("no status: " + status);
    }
    if (headers.size() > MAX_HEADERS) {
      throw new IllegalArgumentException(headers.size() + " headers, at most " + MAX_HEADERS);
    }
  }

  /** One line of a head; both at most 65,535 bytes of UTF-8. */
  public record Header(String name, String value) {}
}
