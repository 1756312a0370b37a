/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An operation ready to be sent: every parameter is {@code ($n::text)::type}, so that the driver
 * only ever sends text. A name that is no declared parameter is a variable of the resource's
 * pattern, bound as text. Immutable, thread-safe.
 */
final class BoundOperation {

  private static final String VARIABLE_TYPE = "text";

  private final Operation operation;
  private final String sql;
  private final List<String> names;

  private BoundOperation(Operation operation, String sql, List<String> names) {
    this.operation = operation;
    this.sql = sql;
    this.names = List.copyOf(names);
  }

  static BoundOperation of(Operation operation) {
    NamedSql parsed = NamedSql.parse(operation.sql());
    List<String> names = new ArrayList<>(parsed.names());
    StringBuilder sql = new StringBuilder();
    for (NamedSql.Piece piece : parsed.pieces()) {
      if (piece.parameter()) {
        sql.append("($").append(names.indexOf(piece.text()) + 1).append("::text)::");
        sql.append(sqlType(operation, piece.text()));
      } else {
        sql.append(piece.text());
      }
    }
    return new BoundOperation(operation, sql.toString(), names);
  }

  private static String sqlType(Operation operation, String name) {
    String declared = operation.params().get(name);
    return declared == null
        ? VARIABLE_TYPE
        : ParamType.named(declared).map(ParamType::sqlName).orElse(VARIABLE_TYPE);
  }

  String sql() {
    return sql;
  }

  /** The values in their order; {@link #objection} found nothing wrong with them before. */
  Tuple tuple(Map<String, String> variables, Map<String, ParamValue> params) {
    Tuple tuple = Tuple.tuple();
    for (String name : names) {
      String declared = operation.params().get(name);
      ParamValue given = params.get(name);
      if (declared == null || given == null) {
        tuple.addString(variables.get(name));
      } else {
        tuple.addString(ParamType.named(declared).map(type -> type.textOf(given)).orElse(null));
      }
    }
    return tuple;
  }

  /** What is wrong with a call's parameters, the first of it. */
  static Optional<Refusal> objection(OperationCall call) {
    Map<String, String> declared = call.operation().params();
    for (String name : call.params().keySet()) {
      if (!declared.containsKey(name)) {
        return Optional.of(no(call, name, "was given, expected one of " + declared.keySet()));
      }
    }
    for (Map.Entry<String, String> param : declared.entrySet()) {
      Optional<Refusal> objection = objection(call, param.getKey(), param.getValue());
      if (objection.isPresent()) {
        return objection;
      }
    }
    return Optional.empty();
  }

  private static Optional<Refusal> objection(OperationCall call, String name, String typeName) {
    ParamValue value = call.params().get(name);
    ParamType type = ParamType.named(typeName).orElse(ParamType.TEXT);
    if (value == null) {
      return Optional.of(no(call, name, "is missing, expected " + type.expected()));
    }
    return type.takes(value)
        ? Optional.empty()
        : Optional.of(no(call, name, shown(value) + " was given, expected " + type.expected()));
  }

  private static String shown(ParamValue value) {
    if (value instanceof ParamValue.Text text) {
      return Parsed.show(text.value());
    }
    return value instanceof ParamValue.Num num ? Parsed.show(num.literal()) : value.kind();
  }

  private static Refusal no(OperationCall call, String name, String what) {
    return RefusalCode.INVALID_REQUEST
        .because("parameter " + Parsed.show(name) + ": " + what)
        .atField(call.field() + "." + name);
  }
}
