/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.name.OperationName;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a policy with its parameters. Immutable; each {@code param} gives a new one.
 * {@code toString} shows the parameters' names only.
 */
public final class Operation {

  private final OperationName name;
  private final Map<String, Json> params;

  private Operation(OperationName name, Map<String, Json> params) {
    this.name = name;
    this.params = params;
  }

  /**
   * An operation without parameters yet.
   *
   * @throws IllegalArgumentException when the name does not follow the grammar
   */
  public static Operation of(String name) {
    return new Operation(OperationName.parse(name).orThrow(), Map.of());
  }

  /** Adds a text; null is JSON's null. */
  public Operation param(String param, @Nullable String value) {
    return with(param, value == null ? new Json.Null() : new Json.Str(value));
  }

  /** Adds a number, exactly as it is; null is JSON's null. */
  public Operation param(String param, @Nullable BigDecimal value) {
    return with(param, value == null ? new Json.Null() : new Json.Num(value.toString()));
  }

  /** Adds a whole number; null is JSON's null. */
  public Operation param(String param, @Nullable Long value) {
    return with(param, value == null ? new Json.Null() : new Json.Num(value.toString()));
  }

  /** Adds a whole number; null is JSON's null. */
  public Operation param(String param, @Nullable Integer value) {
    return with(param, value == null ? new Json.Null() : new Json.Num(value.toString()));
  }

  /** Adds a boolean; null is JSON's null. */
  public Operation param(String param, @Nullable Boolean value) {
    return with(param, value == null ? new Json.Null() : new Json.Bool(value));
  }

  /** Adds JSON's null. */
  public Operation paramNull(String param) {
    return with(param, new Json.Null());
  }

  /**
   * Adds any JSON value, e.g. an object for a column of documents.
   *
   * @throws IllegalArgumentException when the text is not one JSON value
   */
  public Operation paramJson(String param, String json) {
    try {
      return with(param, JsonReader.read(json));
    } catch (JsonReader.Malformed e) {
      throw new IllegalArgumentException("parameter " + param + ": " + e.getMessage(), e);
    }
  }

  private Operation with(String param, Json value) {
    Map<String, Json> more = new LinkedHashMap<>(params);
    more.put(param, value);
    return new Operation(name, more);
  }

  Map<String, Json> members() {
    Map<String, Json> members = new LinkedHashMap<>();
    members.put("operation", new Json.Str(name.value()));
    members.put("params", new Json.Obj(params));
    return members;
  }

  @Override
  public String toString() {
    return name + params.keySet().toString();
  }
}
