/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.Json;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import io.vertx.sqlclient.desc.ColumnDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The results of a write as JSON. {@code int8} and {@code numeric} become strings: they are exact
 * in every language. Whatever has no JSON form becomes its text.
 *
 * <p>The bound on its size is looked at row by row while the JSON is written, which is after the
 * driver has read all rows of the statement into memory: it bounds what is answered and recorded,
 * not what a statement may make the gateway read. An operation that may return many rows needs a
 * LIMIT of its own.
 */
final class ResultJson {

  /** What an answer and an idempotency record may hold; a write is not a way to read tables. */
  static final int MAX_BYTES = 1024 * 1024;

  private final StringBuilder out = new StringBuilder("[");
  private int bytes = 2;

  /**
   * Adds the result of one call.
   *
   * @throws PgFailures.Refused when all of it is more than {@link #MAX_BYTES}
   */
  void add(String operation, RowSet<Row> result) {
    int from = out.length();
    if (from > 1) {
      out.append(',');
    }
    out.append("{\"operation\":").append(Json.encode(operation));
    out.append(",\"rowCount\":").append(rowCount(result));
    List<ColumnDescriptor> columns = result.columnDescriptors();
    if (columns != null && !columns.isEmpty()) {
      out.append(",\"rows\":[");
      count(operation, from);
      addRows(operation, columns, result);
      out.append("]");
    } else {
      count(operation, from);
    }
    out.append('}');
  }

  private void addRows(String operation, List<ColumnDescriptor> columns, RowSet<Row> result) {
    boolean first = true;
    for (Row row : result) {
      int from = out.length();
      out.append(first ? "{" : ",{");
      first = false;
      for (int i = 0; i < columns.size(); i++) {
        out.append(i == 0 ? "" : ",").append(Json.encode(columns.get(i).name())).append(':');
        value(columns.get(i), row.getValue(i));
      }
      out.append('}');
      count(operation, from);
    }
  }

  private void count(String operation, int from) {
    bytes += out.substring(from).getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_BYTES) {
      throw new PgFailures.Refused(
          RefusalCode.OPERATION_FAILED.because(
              operation + " returns more than " + MAX_BYTES + " bytes; nothing was changed"));
    }
  }

  /** Rows that a statement touched, or returned. */
  static long rowCount(RowSet<Row> result) {
    return Math.max(result.rowCount(), result.size());
  }

  String text() {
    return out + "]";
  }

  private void value(ColumnDescriptor column, @Nullable Object value) {
    String type = column.typeName() == null ? "" : column.typeName().toUpperCase(Locale.ROOT);
    if (type.startsWith("JSON") && !column.isArray()) {
      out.append(value == null || value == Tuple.JSON_NULL ? "null" : Json.encode(value));
    } else {
      plain(value);
    }
  }

  private void plain(@Nullable Object value) {
    if (value == null) {
      out.append("null");
    } else if (value instanceof Integer || value instanceof Short || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Float || value instanceof Double) {
      double number = ((Number) value).doubleValue();
      out.append(Double.isFinite(number) ? value.toString() : Json.encode(value.toString()));
    } else if (value instanceof Buffer binary) {
      out.append("\"\\\\x").append(HexFormat.of().formatHex(binary.getBytes())).append('"');
    } else if (value instanceof Object[] array) {
      array(array);
    } else {
      out.append(Json.encode(value.toString()));
    }
  }

  private void array(Object[] array) {
    out.append('[');
    for (int i = 0; i < array.length; i++) {
      out.append(i == 0 ? "" : ",");
      plain(array[i]);
    }
    out.append(']');
  }
}
