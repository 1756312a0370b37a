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
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The results of a write as JSON. {@code int8} and {@code numeric} become strings: they are exact
 * in every language. Times are ISO 8601, with {@code infinity} as the database has it. A column of
 * another type than those here is refused, and with it the write: a statement can cast it to text.
 * Fractions inside json and jsonb are as exact as a double.
 *
 * <p>The bound on its size is looked at row by row while the JSON is written, which is after the
 * driver has read all rows of the statement into memory: it bounds what is answered and recorded,
 * not what a statement may make the gateway read. An operation that may return many rows needs a
 * LIMIT of its own.
 */
final class ResultJson {

  /** What an answer and an idempotency record may hold; a write is not a way to read tables. */
  static final int MAX_BYTES = 1024 * 1024;

  /** What a function without a result returns. */
  private static final String VOID = "VOID";

  private static final Set<String> TYPES =
      Set.of(
          "BOOL",
          "INT2",
          "INT4",
          "INT8",
          "FLOAT4",
          "FLOAT8",
          "NUMERIC",
          "TEXT",
          "VARCHAR",
          "BPCHAR",
          "CHAR",
          "NAME",
          "UUID",
          "DATE",
          "TIME",
          "TIMESTAMP",
          "TIMESTAMPTZ",
          "JSON",
          "JSONB",
          "BYTEA",
          VOID);

  private static final String ARRAY = "_ARRAY";

  private final StringBuilder out = new StringBuilder("[");
  private int bytes = 2;

  /**
   * Adds the result of one call.
   *
   * @throws PgFailures.Refused when all of it is more than {@link #MAX_BYTES}, or a column cannot
   *     be told
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
      requireTellable(operation, columns);
      out.append(",\"rows\":[");
      count(operation, from);
      addRows(operation, columns, result);
      out.append("]");
    } else {
      count(operation, from);
    }
    out.append('}');
  }

  private static void requireTellable(String operation, List<ColumnDescriptor> columns) {
    Set<String> names = new HashSet<>();
    for (ColumnDescriptor column : columns) {
      if (!TYPES.contains(type(column))) {
        throw new PgFailures.Refused(
            RefusalCode.OPERATION_FAILED.because(
                operation
                    + " returns column "
                    + column.name()
                    + " of type "
                    + type(column).toLowerCase(Locale.ROOT)
                    + ", which must be cast to text in the statement; nothing was changed"));
      }
      if (!names.add(column.name())) {
        throw new PgFailures.Refused(
            RefusalCode.OPERATION_FAILED.because(
                operation + " returns two columns " + column.name() + "; nothing was changed"));
      }
    }
  }

  /** The column's type, for an array that of its elements. */
  private static String type(ColumnDescriptor column) {
    String name = column.typeName();
    String type = name == null ? "UNKNOWN" : name.toUpperCase(Locale.ROOT);
    return type.endsWith(ARRAY) ? type.substring(0, type.length() - ARRAY.length()) : type;
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
    if (type(column).equals(VOID)) {
      out.append("null");
    } else if (type(column).startsWith("JSON") && !column.isArray()) {
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
    } else if (value instanceof TemporalAccessor time) {
      out.append(Json.encode(iso(time)));
    } else {
      out.append(Json.encode(value.toString()));
    }
  }

  /** The driver has the ends of Java's own ranges for infinity. */
  private static String iso(TemporalAccessor time) {
    if (time instanceof OffsetDateTime zoned) {
      return infinite(zoned, OffsetDateTime.MAX, OffsetDateTime.MIN)
          .orElseGet(() -> DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(zoned));
    }
    if (time instanceof LocalDateTime local) {
      return infinite(local, LocalDateTime.MAX, LocalDateTime.MIN)
          .orElseGet(() -> DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(local));
    }
    if (time instanceof LocalDate date) {
      return infinite(date, LocalDate.MAX, LocalDate.MIN).orElseGet(date::toString);
    }
    return time instanceof LocalTime ofDay
        ? DateTimeFormatter.ISO_LOCAL_TIME.format(ofDay)
        : time.toString();
  }

  private static Optional<String> infinite(Object time, Object most, Object least) {
    if (time.equals(most)) {
      return Optional.of("infinity");
    }
    return time.equals(least) ? Optional.of("-infinity") : Optional.empty();
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
