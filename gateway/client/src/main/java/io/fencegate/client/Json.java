/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON as the SDK needs it, so that its users get no JSON library: values, a strict reader ({@link
 * JsonReader}) and a writer. Numbers keep their literal, so nothing is ever rounded.
 */
sealed interface Json {

  /** An object; the order of its members is kept. */
  record Obj(Map<String, Json> members) implements Json {

    @Nullable Json get(String name) {
      return members.get(name);
    }

    /** The text of a string member; null when it is absent or something else. */
    @Nullable String text(String name) {
      return members.get(name) instanceof Str s ? s.value() : null;
    }

    /** The value of a member that is a whole number within 64 bits; null otherwise. */
    @Nullable Long wholeNumber(String name) {
      return members.get(name) instanceof Num n ? n.asLong() : null;
    }

    /** The value of a boolean member; {@code otherwise} when it is absent or something else. */
    boolean flag(String name, boolean otherwise) {
      return members.get(name) instanceof Bool b ? b.value() : otherwise;
    }
  }

  record Arr(List<Json> items) implements Json {}

  record Str(String value) implements Json {}

  /** A number as it was written. */
  record Num(String literal) implements Json {

    private static final int MAX_LONG_CHARS = 20;

    @Nullable Long asLong() {
      if (literal.length() > MAX_LONG_CHARS) {
        return null;
      }
      try {
        return Long.parseLong(literal);
      } catch (NumberFormatException notAWholeNumber) {
        return null;
      }
    }
  }

  record Bool(boolean value) implements Json {}

  record Null() implements Json {}

  /** This value as compact JSON. */
  default String write() {
    StringBuilder out = new StringBuilder();
    write(this, out);
    return out.toString();
  }

  private static void write(Json value, StringBuilder out) {
    if (value instanceof Obj o) {
      char before = '{';
      for (Map.Entry<String, Json> member : o.members().entrySet()) {
        out.append(before);
        writeString(member.getKey(), out);
        out.append(':');
        write(member.getValue(), out);
        before = ',';
      }
      out.append(before == '{' ? "{}" : "}");
    } else if (value instanceof Arr a) {
      char before = '[';
      for (Json item : a.items()) {
        out.append(before);
        write(item, out);
        before = ',';
      }
      out.append(before == '[' ? "[]" : "]");
    } else if (value instanceof Str s) {
      writeString(s.value(), out);
    } else if (value instanceof Num n) {
      out.append(n.literal());
    } else {
      out.append(value instanceof Bool b ? Boolean.toString(b.value()) : "null");
    }
  }

  /**
   * Everything outside visible ASCII is escaped: the text survives any wrong guess of a charset.
   */
  private static void writeString(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c >= ' ' && c < 0x7f) {
        out.append(c);
      } else {
        out.append(String.format("\\u%04x", (int) c));
      }
    }
    out.append('"');
  }
}
