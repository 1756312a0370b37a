/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

/** The escapes of a JSON text that is known to be well formed; pure. */
final class JsonEscapes {

  private static final int HEX_DIGITS = 4;
  private static final int HEX = 16;

  private JsonEscapes() {}

  /** Whether what the escapes stand for can be stored, too: jsonb keeps characters, not escapes. */
  static boolean areStorable(String json) {
    StringBuilder plain = new StringBuilder();
    int i = 0;
    while (i < json.length()) {
      char c = json.charAt(i);
      if (c != '\\') {
        plain.append(c);
        i++;
      } else if (i + 1 + HEX_DIGITS < json.length() && json.charAt(i + 1) == 'u') {
        plain.append((char) Integer.parseInt(json.substring(i + 2, i + 2 + HEX_DIGITS), HEX));
        i += 2 + HEX_DIGITS;
      } else {
        plain.append('x');
        i += 2;
      }
    }
    return ParamType.isStorable(plain.toString());
  }
}
