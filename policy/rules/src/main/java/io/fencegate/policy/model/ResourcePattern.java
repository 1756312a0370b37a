/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.ResourceName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which resources a policy is for: segments joined by {@code /}, each a literal or a {@code
 * {variable}} that matches exactly one segment.
 */
public final class ResourcePattern {

  private static final Pattern VARIABLE = Pattern.compile("\\{([a-zA-Z][a-zA-Z0-9_]{0,31})\\}");
  private static final String EXPECTED =
      "segments of a resource name joined by '/', each a literal or one {variable}, no variable twice";

  private final String text;
  private final List<Segment> segments;

  private record Segment(String text, boolean variable) {}

  private ResourcePattern(String text, List<Segment> segments) {
    this.text = text;
    this.segments = List.copyOf(segments);
  }

  public static Parsed<ResourcePattern> parse(String text) {
    List<Segment> segments = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (String part : text.split("/", -1)) {
      var variable = VARIABLE.matcher(part);
      boolean matches = variable.matches();
      if (matches && !seen.add(variable.group(1))) {
        return Parsed.malformed(text, EXPECTED);
      }
      segments.add(matches ? new Segment(variable.group(1), true) : new Segment(part, false));
    }
    String sample =
        segments.stream()
            .map(segment -> segment.variable() ? "v" : segment.text())
            .collect(Collectors.joining("/"));
    return ResourceName.parse(sample)
        .fold(
            name -> Parsed.valid(new ResourcePattern(text, segments)),
            bad -> Parsed.malformed(text, EXPECTED));
  }

  /** The variables' values if {@code resource} matches, in the order of the pattern. */
  public Optional<Map<String, String>> match(ResourceName resource) {
    String[] parts = resource.value().split("/", -1);
    if (parts.length != segments.size()) {
      return Optional.empty();
    }
    Map<String, String> variables = new LinkedHashMap<>();
    for (int i = 0; i < parts.length; i++) {
      Segment segment = segments.get(i);
      if (segment.variable()) {
        variables.put(segment.text(), parts[i]);
      } else if (!segment.text().equals(parts[i])) {
        return Optional.empty();
      }
    }
    return Optional.of(variables);
  }

  /** The name that these values of the variables give, if it is one. */
  public Parsed<ResourceName> fill(Map<String, String> variables) {
    return ResourceName.parse(
        segments.stream()
            .map(it -> it.variable() ? variables.getOrDefault(it.text(), "") : it.text())
            .collect(Collectors.joining("/")));
  }

  public List<String> variables() {
    return segments.stream().filter(Segment::variable).map(Segment::text).toList();
  }

  /** Whether some resource matches both patterns. */
  public boolean overlaps(ResourcePattern other) {
    if (segments.size() != other.segments.size()) {
      return false;
    }
    for (int i = 0; i < segments.size(); i++) {
      Segment a = segments.get(i);
      Segment b = other.segments.get(i);
      if (!a.variable() && !b.variable() && !a.text().equals(b.text())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ResourcePattern that && text.equals(that.text);
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
