/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces the placeholders of a string once: environment variables and files. A doubled dollar
 * sign before a brace stands for a single one.
 */
final class Placeholders {

  private static final String EXPECTED =
      "${env:NAME} or ${file:/absolute/path}, or $${ for a plain ${";
  private static final Pattern OPENING = Pattern.compile("(\\$)?\\$\\{");
  private static final Pattern PLACEHOLDER =
      Pattern.compile(
          "\\$\\{(?:env:([A-Za-z_][A-Za-z0-9_]{0,127})|file:(/[^\\p{Cntrl}}]{1,1023}))}");

  /** Who is told about a placeholder that cannot be used. */
  interface Objection {
    void raise(String given, String expected);
  }

  private final ValueResolver resolver;

  Placeholders(ValueResolver resolver) {
    this.resolver = resolver;
  }

  String resolve(String text, Objection objection) {
    Matcher opening = OPENING.matcher(text);
    Matcher placeholder = PLACEHOLDER.matcher(text);
    StringBuilder out = new StringBuilder();
    int from = 0;
    while (opening.find(from)) {
      out.append(text, from, opening.start());
      if (opening.group(1) != null) {
        out.append("${");
        from = opening.end();
      } else if (placeholder.region(opening.start(), text.length()).lookingAt()) {
        out.append(value(placeholder, objection));
        from = placeholder.end();
      } else {
        objection.raise("a '${' that begins no known placeholder", EXPECTED);
        from = opening.end();
      }
    }
    return out.append(text, from, text.length()).toString();
  }

  private String value(Matcher placeholder, Objection objection) {
    String variable = placeholder.group(1);
    Optional<String> value =
        variable != null ? resolver.environment(variable) : resolver.file(placeholder.group(2));
    if (value.isEmpty()) {
      objection.raise(
          "'" + placeholder.group() + "'",
          variable != null
              ? "the environment variable " + variable + " to be set"
              : "the file " + placeholder.group(2) + " to be readable");
    }
    return value.orElse("");
  }
}
