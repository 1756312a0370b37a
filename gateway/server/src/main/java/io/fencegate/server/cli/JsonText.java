/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * JSON for people: a line for each member, the members of objects under dotted names, lists of
 * objects as tables. It knows no document, so it shows whatever a newer gateway adds.
 */
final class JsonText {

  private static final String GAP = "  ";

  private JsonText() {}

  static List<String> lines(JsonObject document) {
    Map<String, String> plain = new LinkedHashMap<>();
    Map<String, List<JsonObject>> tables = new LinkedHashMap<>();
    collect("", document, plain, tables);
    List<String> lines = new ArrayList<>(aligned(plain));
    tables.forEach(
        (name, rows) -> {
          if (!lines.isEmpty()) {
            lines.add("");
          }
          lines.add(name + ":");
          lines.addAll(table(rows));
        });
    return lines;
  }

  private static void collect(
      String prefix,
      JsonObject object,
      Map<String, String> plain,
      Map<String, List<JsonObject>> tables) {
    for (String name : object.fieldNames()) {
      Object value = object.getValue(name);
      String path = prefix + name;
      if (value instanceof JsonObject inner && !inner.isEmpty()) {
        collect(path + ".", inner, plain, tables);
      } else if (value instanceof JsonArray array && isTable(array)) {
        tables.put(path, array.stream().map(JsonObject.class::cast).toList());
      } else {
        plain.put(path, cell(value));
      }
    }
  }

  private static boolean isTable(JsonArray array) {
    return !array.isEmpty() && array.stream().allMatch(JsonObject.class::isInstance);
  }

  private static List<String> aligned(Map<String, String> plain) {
    int width = plain.keySet().stream().mapToInt(String::length).max().orElse(0);
    return plain.entrySet().stream()
        .map(entry -> padded(entry.getKey(), width) + GAP + entry.getValue())
        .toList();
  }

  private static List<String> table(List<JsonObject> rows) {
    Set<String> columns = new LinkedHashSet<>();
    rows.forEach(row -> columns.addAll(row.fieldNames()));
    List<List<String>> cells = new ArrayList<>();
    cells.add(List.copyOf(columns));
    rows.forEach(row -> cells.add(columns.stream().map(name -> cell(row.getValue(name))).toList()));
    List<String> lines = new ArrayList<>();
    for (List<String> row : cells) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        line.append(GAP).append(padded(row.get(i), width(cells, i)));
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  private static int width(List<List<String>> cells, int column) {
    return cells.stream()
        .map(row -> row.get(column).length())
        .max(Comparator.naturalOrder())
        .orElse(0);
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(width - text.length());
  }

  /** What came over the network must not move the cursor about. */
  private static String cell(@Nullable Object value) {
    String text = value == null ? "-" : String.valueOf(value);
    return text.chars()
        .map(c -> Character.isISOControl(c) ? '?' : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
