/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.ParamValue;
import io.vertx.core.json.Json;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The types that an operation's parameters may have. A value travels as text and is cast in the
 * statement, so that it arrives digit for digit; here it is checked that the cast will succeed.
 * Null is a value of every type.
 */
enum ParamType {
  TEXT("text", "a string without U+0000 and without lone surrogates"),
  NUMERIC("numeric", "a decimal number, or a string with one; 'NaN' as a string"),
  INT2("int2", "a whole number from -32768 to 32767", "smallint"),
  INT4("int4", "a whole number from -2147483648 to 2147483647", "integer"),
  INT8("int8", "a whole number from -9223372036854775808 to 9223372036854775807", "bigint"),
  BOOLEAN("boolean", "true or false"),
  UUID("uuid", "a string like 6f1c0a3e-8f5b-4c55-9d52-0f4c8a1f9b1e"),
  DATE("date", "an ISO 8601 date like 2026-11-30, as a string"),
  TIMESTAMPTZ("timestamptz", "an ISO 8601 time like 2026-11-30T12:00:00Z, as a string"),
  JSONB("jsonb", "any JSON value without U+0000 and without lone surrogates");

  /** More digits than any amount; also what keeps an exponent from blowing a number up. */
  private static final int NUMBER_CHARS = 1000;

  private static final int YEAR_CHARS = 4;

  /** PostgreSQL's own bound on offsets: 16 h. */
  private static final int OFFSET_SECONDS = 16 * 60 * 60;

  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?");
  private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]+");
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private final String sqlName;
  private final String expected;
  private final Optional<String> alias;

  ParamType(String sqlName, String expected) {
    this.sqlName = sqlName;
    this.expected = expected;
    this.alias = Optional.empty();
  }

  ParamType(String sqlName, String expected, String alias) {
    this.sqlName = sqlName;
    this.expected = expected;
    this.alias = Optional.of(alias);
  }

  static Optional<ParamType> named(String name) {
    return Arrays.stream(values())
        .filter(type -> type.sqlName.equals(name) || type.alias.filter(name::equals).isPresent())
        .findFirst();
  }

  static String names() {
    return Arrays.stream(values())
        .map(type -> type.sqlName + type.alias.map(a -> " (" + a + ")").orElse(""))
        .collect(Collectors.joining(", ", "one of ", ""));
  }

  /** What PostgreSQL calls it. */
  String sqlName() {
    return sqlName;
  }

  /** What a value has to be, for messages. */
  String expected() {
    return expected;
  }

  /** Whether the database will take the value as this type. */
  boolean takes(ParamValue value) {
    if (value instanceof ParamValue.Null) {
      return true;
    }
    return switch (this) {
      case TEXT -> value instanceof ParamValue.Text text && isStorable(text.value());
      case NUMERIC -> isNumeric(value);
      case INT2 -> isWhole(value, Short.MIN_VALUE, Short.MAX_VALUE);
      case INT4 -> isWhole(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case INT8 -> isWhole(value, Long.MIN_VALUE, Long.MAX_VALUE);
      case BOOLEAN -> value instanceof ParamValue.Bool;
      case UUID ->
          value instanceof ParamValue.Text text && UUID_TEXT.matcher(text.value()).matches();
      case DATE -> value instanceof ParamValue.Text text && isDate(text.value());
      case TIMESTAMPTZ -> value instanceof ParamValue.Text text && isTime(text.value());
      case JSONB -> isJson(value);
    };
  }

  /** The value as the text that is cast; null for null. */
  @Nullable String textOf(ParamValue value) {
    if (value instanceof ParamValue.Text text) {
      return this == JSONB ? Json.encode(text.value()) : text.value();
    }
    if (value instanceof ParamValue.Num num) {
      return num.literal();
    }
    if (value instanceof ParamValue.Bool bool) {
      return Boolean.toString(bool.value());
    }
    return value instanceof ParamValue.Json json ? json.text() : null;
  }

  private static boolean isNumeric(ParamValue value) {
    String text = numberText(value);
    return (value instanceof ParamValue.Text && text.equals("NaN"))
        || (text.length() <= NUMBER_CHARS && DECIMAL.matcher(text).matches());
  }

  private static boolean isWhole(ParamValue value, long least, long most) {
    String text = numberText(value);
    if (text.length() > NUMBER_CHARS || !WHOLE.matcher(text).matches()) {
      return false;
    }
    BigInteger number = new BigInteger(text);
    return number.compareTo(BigInteger.valueOf(least)) >= 0
        && number.compareTo(BigInteger.valueOf(most)) <= 0;
  }

  private static String numberText(ParamValue value) {
    if (value instanceof ParamValue.Num num) {
      return num.literal();
    }
    return value instanceof ParamValue.Text text ? text.value() : "";
  }

  private static boolean isDate(String text) {
    try {
      return LocalDate.parse(text).getYear() > 0 && text.indexOf('-') == YEAR_CHARS;
    } catch (DateTimeException notOne) {
      return false;
    }
  }

  private static boolean isTime(String text) {
    try {
      OffsetDateTime time = OffsetDateTime.parse(text);
      return time.getYear() > 0
          && text.indexOf('-') == YEAR_CHARS
          && Math.abs(time.getOffset().getTotalSeconds()) < OFFSET_SECONDS;
    } catch (DateTimeException notOne) {
      return false;
    }
  }

  private static boolean isJson(ParamValue value) {
    if (value instanceof ParamValue.Text text) {
      return isStorable(text.value());
    }
    if (value instanceof ParamValue.Json json) {
      return isStorable(json.text()) && JsonEscapes.areStorable(json.text());
    }
    return !(value instanceof ParamValue.Num num) || num.literal().length() <= NUMBER_CHARS;
  }

  /** What a UTF-8 database can hold: no U+0000, no half of a surrogate pair. */
  static boolean isStorable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0 || Character.isLowSurrogate(c)) {
        return false;
      }
      if (Character.isHighSurrogate(c)) {
        i++;
        if (i == text.length() || !Character.isLowSurrogate(text.charAt(i))) {
          return false;
        }
      }
    }
    return true;
  }
}
