/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.name.AdapterName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the {@code adapters} of all files into one map. */
final class AdapterReader {

  private record Origin(String file, int line) {}

  private final Map<String, Origin> origins = new HashMap<>();
  private final Map<AdapterName, AdapterConfig> adapters = new LinkedHashMap<>();

  void read(Node root, Problems problems) {
    if (new Fields(root, problems).node("adapters").orElse(null) instanceof Node.Mapping mapping) {
      mapping.entries().forEach((name, entry) -> read(name, entry, problems));
    }
  }

  private void read(String name, Node.Entry entry, Problems problems) {
    Node node = entry.value();
    Origin first = origins.putIfAbsent(name, new Origin(problems.file(), entry.key().line()));
    if (first != null) {
      problems.blame(
          node.pointer(),
          entry.key(),
          "the adapter '" + name + "' a second time",
          "another name than that at " + first.file() + ":" + first.line());
      return;
    }
    Optional<String> type = new Fields(node, problems).text("type");
    if (node instanceof Node.Mapping mapping) {
      Map<String, Object> settings = new LinkedHashMap<>();
      mapping
          .entries()
          .forEach(
              (key, setting) -> {
                if (!key.equals("type")) {
                  value(setting.value(), problems).ifPresent(it -> settings.put(key, it));
                }
              });
      AdapterName.parse(name)
          .fold(
              it -> adapters.put(it, new AdapterConfig(it, type.orElse(""), settings)),
              bad -> null);
    }
  }

  private static Optional<Object> value(Node node, Problems problems) {
    if (node instanceof Node.Mapping mapping) {
      Map<String, Object> members = new LinkedHashMap<>();
      mapping
          .entries()
          .forEach(
              (key, entry) -> value(entry.value(), problems).ifPresent(it -> members.put(key, it)));
      return Optional.of(Collections.unmodifiableMap(members));
    }
    if (node instanceof Node.Sequence sequence) {
      List<Object> items = new ArrayList<>();
      sequence.items().forEach(item -> value(item, problems).ifPresent(items::add));
      return Optional.of(Collections.unmodifiableList(items));
    }
    Object value = ((Node.Scalar) node).value();
    if (value == null) {
      problems.blame(node, "a value, or no such key");
    }
    return Optional.ofNullable(value);
  }

  /** Every name that some file gives to an adapter, usable or not. */
  Set<String> names() {
    return Collections.unmodifiableSet(new java.util.TreeSet<>(origins.keySet()));
  }

  Map<AdapterName, AdapterConfig> adapters() {
    return adapters;
  }
}
