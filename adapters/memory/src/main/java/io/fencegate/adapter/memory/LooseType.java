/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.memory;

import io.fencegate.adapter.spi.ParamValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The parameter types of the memory adapter, checked by their JSON kind only. */
enum LooseType {
  TEXT("a string"),
  NUMERIC("a number, or a string with one"),
  INTEGER("a whole number"),
  BOOLEAN("true or false"),
  JSON("any JSON value");

  private final String expected;

  LooseType(String expected) {
    this.expected = expected;
  }

  static Optional<LooseType> named(String name) {
    return Arrays.stream(values()).filter(type -> type.label().equals(name)).findFirst();
  }

  static String names() {
    return "one of "
        + Arrays.stream(values()).map(LooseType::label).collect(Collectors.joining(", "));
  }

  private String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What is expected, for messages. */
  String expected() {
    return expected;
  }

  boolean takes(ParamValue value) {
    if (value instanceof ParamValue.Null || this == JSON) {
      return true;
    }
    return switch (this) {
      case TEXT -> value instanceof ParamValue.Text;
      case NUMERIC -> value instanceof ParamValue.Num || isNumberText(value);
      case INTEGER -> value instanceof ParamValue.Num num && num.literal().matches("-?[0-9]+");
      case BOOLEAN -> value instanceof ParamValue.Bool;
      case JSON -> true;
    };
  }

  private static boolean isNumberText(ParamValue value) {
    return value instanceof ParamValue.Text text
        && text.value().matches("-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
  }
}
