/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads one JSON text (RFC 8259) and nothing beside it: no duplicate member names, no lone
 * surrogates, no leniency, bounded depth.
 */
final class JsonReader {

  /** Deeper than any answer of a gateway; shallow enough for any stack. */
  static final int MAX_DEPTH = 64;

  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");
  private static final int HEX_DIGITS = 4;

  /** The text is not JSON as this reader takes it; the message says where and why. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    Malformed(String message) {
      super(message);
    }
  }

  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  static Json read(String text) throws Malformed {
    JsonReader reader = new JsonReader(text);
    Json value = reader.value(0);
    reader.skipBlanks();
    if (reader.at < text.length()) {
      throw reader.malformed("nothing more");
    }
    return value;
  }

  private Json value(int depth) throws Malformed {
    if (depth > MAX_DEPTH) {
      throw malformed("at most " + MAX_DEPTH + " levels");
    }
    skipBlanks();
    return switch (peek()) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> new Json.Str(string());
      case 't' -> word("true", new Json.Bool(true));
      case 'f' -> word("false", new Json.Bool(false));
      case 'n' -> word("null", new Json.Null());
      default -> number();
    };
  }

  private Json object(int depth) throws Malformed {
    Map<String, Json> members = new LinkedHashMap<>();
    at++;
    skipBlanks();
    if (take('}')) {
      return new Json.Obj(members);
    }
    do {
      skipBlanks();
      if (peek() != '"') {
        throw malformed("a member name");
      }
      String name = string();
      skipBlanks();
      expect(':');
      if (members.put(name, value(depth + 1)) != null) {
        throw malformed("each member name once");
      }
      skipBlanks();
    } while (take(','));
    expect('}');
    return new Json.Obj(members);
  }

  private Json array(int depth) throws Malformed {
    List<Json> items = new ArrayList<>();
    at++;
    skipBlanks();
    if (take(']')) {
      return new Json.Arr(items);
    }
    do {
      items.add(value(depth + 1));
      skipBlanks();
    } while (take(','));
    expect(']');
    return new Json.Arr(items);
  }

  private String string() throws Malformed {
    StringBuilder out = new StringBuilder();
    at++;
    while (true) {
      char c = peek();
      at++;
      if (c == '"') {
        requirePairedSurrogates(out);
        return out.toString();
      }
      if (c < ' ') {
        throw malformed("an escaped control character");
      }
      out.append(c == '\\' ? escape() : c);
    }
  }

  private char escape() throws Malformed {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicodeEscape();
      default -> throw malformed("an escape of JSON");
    };
  }

  private char unicodeEscape() throws Malformed {
    int code = 0;
    for (int i = 0; i < HEX_DIGITS; i++) {
      char c = peek();
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw malformed("four hex digits");
      }
      code = code * 16 + digit;
      at++;
    }
    return (char) code;
  }

  private void requirePairedSurrogates(CharSequence string) throws Malformed {
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      boolean paired =
          Character.isHighSurrogate(c)
              && i + 1 < string.length()
              && Character.isLowSurrogate(string.charAt(i + 1));
      if (Character.isSurrogate(c) && !paired) {
        throw malformed("surrogates in pairs");
      }
      i += paired ? 1 : 0;
    }
  }

  private Json number() throws Malformed {
    Matcher number = NUMBER.matcher(text).region(at, text.length());
    if (!number.lookingAt()) {
      throw malformed("a JSON value");
    }
    at = number.end();
    return new Json.Num(number.group());
  }

  private Json word(String word, Json value) throws Malformed {
    if (!text.startsWith(word, at)) {
      throw malformed("a JSON value");
    }
    at += word.length();
    return value;
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() throws Malformed {
    if (at >= text.length()) {
      throw malformed("more text");
    }
    return text.charAt(at);
  }

  private boolean take(char c) {
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c) throws Malformed {
    if (!take(c)) {
      throw malformed("'" + c + "'");
    }
  }

  /** Says where and what was expected; never repeats the text, it may hold a secret. */
  private Malformed malformed(String expected) {
    return new Malformed("at character " + at + " expected " + expected);
  }
}
