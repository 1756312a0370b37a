/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

import java.util.regex.Pattern;

/** An adapter's name in a policy file. */
public record AdapterName(String value) {

  private static final Pattern GRAMMAR = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final String EXPECTED =
      "1 to 64 characters of [A-Za-z0-9._-], a letter or digit first";

  public AdapterName {
    if (!GRAMMAR.matcher(value).matches()) {
      throw new IllegalArgumentException(Parsed.show(value) + " is not an adapter name");
    }
  }

  public static Parsed<AdapterName> parse(String text) {
    return GRAMMAR.matcher(text).matches()
        ? Parsed.valid(new AdapterName(text))
        : Parsed.malformed(text, EXPECTED);
  }

  @Override
  public String toString() {
    return value;
  }
}
