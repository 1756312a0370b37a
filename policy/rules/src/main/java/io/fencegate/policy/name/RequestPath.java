/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A request's path in the one spelling that is both matched and forwarded, so that the rule and the
 * origin never look at two different paths.
 *
 * <p>Percent-encoded unreserved characters are decoded and the remaining hex digits written in
 * upper case (RFC 3986, 6.2.2), which changes no meaning. Whatever some origin may read in another
 * way is refused instead of being put right: empty and dot segments, encoded slashes, backslashes,
 * percent signs, semicolons and control characters, and every byte that does not belong in a path.
 *
 * @param text begins with a slash; a slash at its end is kept
 * @param segments between the slashes; without the empty one after a slash at the end, since many
 *     origins take both spellings for the same thing
 */
public record RequestPath(String text, List<String> segments) {

  private static final String EXPECTED =
      "an origin-form path in one spelling only: no empty or dot segments, no ';' or '\\', no encoded"
          + " '/', '\\', ';', '%' or control character";

  /** What may stand in a segment as it is, beside unreserved characters: RFC 3986 without ';'. */
  private static final String OTHERS = "!$&'()*+,=:@";

  /** Bytes that must not even come encoded. */
  private static final String NEVER = "/\\;%";

  private static final int FIRST_PRINTABLE = 0x20;
  private static final int DELETE = 0x7f;
  private static final Pattern HEX = Pattern.compile("[0-9A-Fa-f]{2}");

  public RequestPath {
    segments = List.copyOf(segments);
  }

  public static Parsed<RequestPath> parse(String text) {
    if (!text.startsWith("/")) {
      return Parsed.malformed(text, EXPECTED);
    }
    List<String> segments = new ArrayList<>();
    String[] raw = text.substring(1).split("/", -1);
    for (int i = 0; i < raw.length; i++) {
      boolean closing = raw[i].isEmpty() && i == raw.length - 1;
      Optional<String> segment = closing ? Optional.empty() : segment(raw[i]);
      if (segment.isEmpty() && !closing) {
        return Parsed.malformed(text, EXPECTED);
      }
      segment.ifPresent(segments::add);
    }
    boolean slash = text.endsWith("/") && !segments.isEmpty();
    return Parsed.valid(
        new RequestPath("/" + String.join("/", segments) + (slash ? "/" : ""), segments));
  }

  private static Optional<String> segment(String raw) {
    StringBuilder out = new StringBuilder();
    int i = 0;
    while (i < raw.length()) {
      char c = raw.charAt(i);
      if (c == '%') {
        Optional<String> decoded = octet(raw, i + 1);
        if (decoded.isEmpty()) {
          return Optional.empty();
        }
        out.append(decoded.get());
        i += 3;
      } else if (Unreserved.contains(c) || OTHERS.indexOf(c) >= 0) {
        out.append(c);
        i++;
      } else {
        return Optional.empty();
      }
    }
    String segment = out.toString();
    return segment.isEmpty() || segment.equals(".") || segment.equals("..")
        ? Optional.empty()
        : Optional.of(segment);
  }

  private static Optional<String> octet(String raw, int at) {
    if (at + 2 > raw.length() || !HEX.matcher(raw.substring(at, at + 2)).matches()) {
      return Optional.empty();
    }
    int octet = Integer.parseInt(raw.substring(at, at + 2), 16);
    if (octet < FIRST_PRINTABLE || octet == DELETE || NEVER.indexOf(octet) >= 0) {
      return Optional.empty();
    }
    return Optional.of(
        Unreserved.contains((char) octet)
            ? Character.toString(octet)
            : "%" + String.format("%02X", octet));
  }

  @Override
  public String toString() {
    return text;
  }
}
