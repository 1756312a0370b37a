/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One key of a {@link SettingsFile} with its value and both their places. Immutable. */
public final class Setting {

  private final String path;
  private final String file;
  private final Place key;
  private final Node node;
  private final boolean blamed;

  Setting(String path, String file, Place key, Node node, Problems problems) {
    this.path = path;
    this.file = file;
    this.key = key;
    this.node = node;
    this.blamed = problems.blames(node.pointer());
  }

  /** The keys that lead here, joined by dots. */
  public String path() {
    return path;
  }

  public boolean isMapping() {
    return node instanceof Node.Mapping;
  }

  /** Whether a message about its value exists already. */
  public boolean isBlamed() {
    return blamed;
  }

  /**
   * A String with placeholders resolved, Integer, Long, Double or Boolean; empty for a list, a
   * mapping and a key without a value.
   */
  public Optional<Object> value() {
    return node instanceof Node.Scalar scalar
        ? Optional.ofNullable(scalar.value())
        : Optional.empty();
  }

  /** The items of a list that holds texts and nothing else, placeholders resolved. */
  public Optional<List<String>> texts() {
    if (!(node instanceof Node.Sequence list)) {
      return Optional.empty();
    }
    List<String> texts = new ArrayList<>();
    for (Node item : list.items()) {
      if (item instanceof Node.Scalar scalar && scalar.value() instanceof String text) {
        texts.add(text);
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(texts);
  }

  /** The value as the file has it, placeholders unresolved. */
  public String shown() {
    return node.shown();
  }

  /** A message that points to the value. */
  public PolicyMessage unusable(String expected) {
    return message(node.place(), node.shown(), expected);
  }

  /** A message that points to the value and does not show it. */
  public PolicyMessage unusableSecret(String expected) {
    return message(node.place(), "a secret", expected);
  }

  /** A message that points to the key. */
  public PolicyMessage unknown(String expected) {
    return message(key, "the key '" + path + "'", expected);
  }

  private PolicyMessage message(Place place, String given, String expected) {
    return new PolicyMessage(file, place.line(), place.column(), node.pointer(), given, expected);
  }

  @Override
  public String toString() {
    return path + ": " + shown();
  }
}
