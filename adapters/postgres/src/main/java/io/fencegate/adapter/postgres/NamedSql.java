/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A statement with {@code :name} parameters, taken apart: text and names alternate. What looks like
 * a parameter inside a string, a quoted identifier, a dollar quote or a comment is none, nor is
 * {@code ::} or {@code :=}. Pure.
 */
final class NamedSql {

  /** One piece: verbatim text, or a parameter's name. */
  record Piece(String text, boolean parameter) {}

  private final List<Piece> pieces = new ArrayList<>();
  private final StringBuilder code = new StringBuilder();
  private final String sql;
  private int pos;
  private int verbatimFrom;
  private boolean unterminated;
  private boolean positional;

  private NamedSql(String sql) {
    this.sql = sql;
  }

  static NamedSql parse(String sql) {
    NamedSql parsed = new NamedSql(sql);
    parsed.scan();
    return parsed;
  }

  List<Piece> pieces() {
    return List.copyOf(pieces);
  }

  /** The parameters in the order of their first use. */
  Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    pieces.stream().filter(Piece::parameter).map(Piece::text).forEach(names::add);
    return names;
  }

  /** Whether a string, identifier, dollar quote or comment has no end. */
  boolean isUnterminated() {
    return unterminated;
  }

  /** Whether it uses {@code $1}: positions are this adapter's. */
  boolean isPositional() {
    return positional;
  }

  /** Whether something follows a semicolon. */
  boolean isSeveral() {
    int semicolon = code.indexOf(";");
    return semicolon >= 0 && !code.substring(semicolon).replace(";", "").isBlank();
  }

  /** The first word, in capitals; empty where there is none. */
  String keyword() {
    StringBuilder word = new StringBuilder();
    for (char c : code.toString().stripLeading().toCharArray()) {
      if (!Character.isLetter(c)) {
        break;
      }
      word.append(c);
    }
    return word.toString().toUpperCase(Locale.ROOT);
  }

  private void scan() {
    while (pos < sql.length()) {
      char c = sql.charAt(pos);
      if (c == '\'') {
        skipQuoted('\'', isEscapeString());
      } else if (c == '"') {
        skipQuoted('"', false);
      } else if (startsWith("--")) {
        skipLineComment();
      } else if (startsWith("/*")) {
        skipBlockComment();
      } else if (c == '$' && !isInsideWord()) {
        skipDollar();
      } else if (c == ':') {
        colon();
      } else {
        code.append(c);
        pos++;
      }
    }
    endVerbatim(pos);
  }

  /** A {@code ::} or {@code :=}, a parameter, or a lone colon. */
  private void colon() {
    if (startsWith("::") || startsWith(":=")) {
      code.append("  ");
      pos += 2;
      return;
    }
    int end = pos + 1;
    while (end < sql.length() && isNamePart(sql.charAt(end), end == pos + 1)) {
      end++;
    }
    if (end > pos + 1) {
      endVerbatim(pos);
      pieces.add(new Piece(sql.substring(pos + 1, end), true));
      verbatimFrom = end;
    }
    code.append(' ');
    pos = Math.max(end, pos + 1);
  }

  private static boolean isNamePart(char c, boolean first) {
    boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    return letter || (!first && c >= '0' && c <= '9');
  }

  private void endVerbatim(int end) {
    if (end > verbatimFrom) {
      pieces.add(new Piece(sql.substring(verbatimFrom, end), false));
    }
    verbatimFrom = end;
  }

  /** Whether the quote at hand belongs to {@code E'..'}, where a backslash escapes. */
  private boolean isEscapeString() {
    if (pos == 0 || Character.toUpperCase(sql.charAt(pos - 1)) != 'E') {
      return false;
    }
    return pos == 1 || !isWordPart(sql.charAt(pos - 2));
  }

  private boolean isInsideWord() {
    return pos > 0 && isWordPart(sql.charAt(pos - 1));
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c > 0x7f;
  }

  private void skipQuoted(char quote, boolean backslashEscapes) {
    int at = pos + 1;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (backslashEscapes && c == '\\') {
        at += 2;
      } else if (c != quote) {
        at++;
      } else if (at + 1 < sql.length() && sql.charAt(at + 1) == quote) {
        at += 2;
      } else {
        endSkip(at + 1);
        return;
      }
    }
    unterminated = true;
    endSkip(sql.length());
  }

  private void skipLineComment() {
    int end = sql.indexOf('\n', pos);
    pos = end < 0 ? sql.length() : end;
  }

  /** Block comments nest. */
  private void skipBlockComment() {
    int depth = 0;
    do {
      if (startsWith("/*")) {
        depth++;
        pos += 2;
      } else if (startsWith("*/")) {
        depth--;
        pos += 2;
      } else {
        pos++;
      }
    } while (depth > 0 && pos < sql.length());
    unterminated |= depth > 0;
    code.append(' ');
  }

  private void skipDollar() {
    int end = pos + 1;
    while (end < sql.length() && isWordPart(sql.charAt(end)) && sql.charAt(end) != '$') {
      end++;
    }
    boolean digit = pos + 1 < sql.length() && Character.isDigit(sql.charAt(pos + 1));
    if (digit || end >= sql.length() || sql.charAt(end) != '$') {
      positional |= digit;
      code.append('$');
      pos++;
      return;
    }
    String tag = sql.substring(pos, end + 1);
    int close = sql.indexOf(tag, end + 1);
    unterminated |= close < 0;
    endSkip(close < 0 ? sql.length() : close + tag.length());
  }

  private void endSkip(int end) {
    code.append("x");
    pos = end;
  }

  private boolean startsWith(String text) {
    return sql.startsWith(text, pos);
  }
}
