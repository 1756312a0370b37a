/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.RequestPath;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which paths a policy's downstream is reached at: segments after slashes, each a literal or a
 * {@code {variable}} that matches exactly one segment; a last {@code **} matches any number of
 * them, none included. Case-sensitive.
 */
public final class Route {

  /** The gateway's own paths start with this segment. */
  public static final String OWN_SEGMENT = "v1";

  private static final Pattern VARIABLE = Pattern.compile("\\{([a-zA-Z][a-zA-Z0-9_]{0,31})\\}");
  private static final Pattern LITERAL = Pattern.compile("[A-Za-z0-9._~-]{1,64}");
  private static final String REST = "**";
  private static final int MAX_SEGMENTS = 32;
  private static final String EXPECTED =
      "a path such as /ledger/{tenant}/**: segments of [A-Za-z0-9._~-] or one {variable} each, no"
          + " variable twice, '**' only at the end, and not under /v1/";

  private final String text;
  private final List<Segment> segments;
  private final boolean open;

  private record Segment(String text, boolean variable) {
    boolean takes(String given) {
      return variable || text.equals(given);
    }

    boolean overlaps(Segment other) {
      return variable || other.variable || text.equals(other.text);
    }
  }

  private Route(String text, List<Segment> segments, boolean open) {
    this.text = text;
    this.segments = List.copyOf(segments);
    this.open = open;
  }

  public static Parsed<Route> parse(String text) {
    if (!text.startsWith("/") || text.length() == 1) {
      return Parsed.malformed(text, EXPECTED);
    }
    String[] parts = text.substring(1).split("/", -1);
    boolean open = parts[parts.length - 1].equals(REST);
    List<Segment> segments = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < parts.length - (open ? 1 : 0); i++) {
      var variable = VARIABLE.matcher(parts[i]);
      boolean named = variable.matches();
      boolean usable = named ? seen.add(variable.group(1)) : isLiteral(parts[i]);
      if (!usable) {
        return Parsed.malformed(text, EXPECTED);
      }
      segments.add(new Segment(named ? variable.group(1) : parts[i], named));
    }
    boolean own = !segments.isEmpty() && segments.get(0).equals(new Segment(OWN_SEGMENT, false));
    return own || segments.size() > MAX_SEGMENTS
        ? Parsed.malformed(text, EXPECTED)
        : Parsed.valid(new Route(text, segments, open));
  }

  private static boolean isLiteral(String part) {
    return LITERAL.matcher(part).matches() && !part.equals(".") && !part.equals("..");
  }

  /** The variables' values if {@code path} matches. */
  public Optional<Map<String, String>> match(RequestPath path) {
    List<String> given = path.segments();
    boolean length = open ? given.size() >= segments.size() : given.size() == segments.size();
    if (!length) {
      return Optional.empty();
    }
    Map<String, String> variables = new LinkedHashMap<>();
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      if (!segment.takes(given.get(i))) {
        return Optional.empty();
      }
      if (segment.variable()) {
        variables.put(segment.text(), given.get(i));
      }
    }
    return Optional.of(variables);
  }

  /** Whether any rest of a path is taken. */
  public boolean isOpen() {
    return open;
  }

  public List<String> variables() {
    return segments.stream().filter(Segment::variable).map(Segment::text).toList();
  }

  /** Whether some path matches both routes. */
  public boolean overlaps(Route other) {
    int mine = segments.size();
    int theirs = other.segments.size();
    boolean lengths = mine == theirs || (mine < theirs ? open : other.open);
    if (!lengths) {
      return false;
    }
    for (int i = 0; i < Math.min(mine, theirs); i++) {
      if (!segments.get(i).overlaps(other.segments.get(i))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Route that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
