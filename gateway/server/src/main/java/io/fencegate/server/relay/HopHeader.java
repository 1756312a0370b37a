/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.relay;

import io.fencegate.coordination.cluster.GatewayKey;
import io.fencegate.policy.name.Parsed;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The header by which a gateway says that it has relayed a request: {@code from.to.mac}, two
 * sessions and a signature with the key that the gateways share. Signed are five lines, joined by a
 * line feed and without one at the end: {@code fencegate-hop-v1}, from, to, the method, the target
 * as it came. None of them can contain a line feed, so no two requests have the same text. Pure.
 *
 * <p>Who sees one may repeat it, and gains nothing: all it does is to keep a request from being
 * relayed again.
 *
 * @param from session of the gateway that relays
 * @param to session of the gateway that it relays to
 * @param mac 43 characters of base64url
 */
record HopHeader(String from, String to, String mac) {

  static final String NAME = "Fencegate-Hop";

  private static final String FIRST_LINE = "fencegate-hop-v1";
  private static final String SESSION = "([A-Za-z0-9_-]{1,64})";
  private static final Pattern FORM =
      Pattern.compile(SESSION + "\\." + SESSION + "\\.([A-Za-z0-9_-]{43})");

  static HopHeader signed(GatewayKey key, String from, String to, String method, String target) {
    return new HopHeader(from, to, key.sign(text(from, to, method, target)));
  }

  /** Takes the header's values, of which there is one or more. */
  static Parsed<HopHeader> parse(List<String> values) {
    Matcher parts = FORM.matcher(values.get(0));
    return values.size() == 1 && parts.matches()
        ? Parsed.valid(new HopHeader(parts.group(1), parts.group(2), parts.group(3)))
        : Parsed.unusable(
            values.size() == 1 ? "something else" : values.size() + " values",
            "one value that another gateway has signed: callers leave it out");
  }

  /** Whether a gateway with that key has relayed this very request; takes the same time always. */
  boolean isOf(GatewayKey key, String method, String target) {
    return MessageDigest.isEqual(
        key.sign(text(from, to, method, target)).getBytes(StandardCharsets.US_ASCII),
        mac.getBytes(StandardCharsets.US_ASCII));
  }

  private static String text(String from, String to, String method, String target) {
    return String.join("\n", FIRST_LINE, from, to, method, target);
  }

  String text() {
    return from + "." + to + "." + mac;
  }

  /** Without the signature. */
  @Override
  public String toString() {
    return "HopHeader[" + from + " -> " + to + "]";
  }
}
