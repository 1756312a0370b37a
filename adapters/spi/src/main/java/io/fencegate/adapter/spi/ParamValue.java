/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

/** A parameter's value as the request gave it, exact. */
public sealed interface ParamValue {

  /** A string. */
  record Text(String value) implements ParamValue {}

  /** A number, in the decimal notation of the request. */
  record Num(String literal) implements ParamValue {}

  record Bool(boolean value) implements ParamValue {}

  /** An object or array, as JSON text. */
  record Json(String text) implements ParamValue {}

  record Null() implements ParamValue {}

  /** The JSON kind, for messages. */
  default String kind() {
    if (this instanceof Text) {
      return "a string";
    }
    if (this instanceof Num) {
      return "a number";
    }
    if (this instanceof Bool) {
      return "a boolean";
    }
    return this instanceof Json ? "an object or array" : "null";
  }
}
