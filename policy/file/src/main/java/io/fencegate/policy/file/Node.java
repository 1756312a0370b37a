/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A parsed file as a tree that knows where everything stands. */
sealed interface Node {

  /** JSON pointer within the file. */
  String pointer();

  /** Where a message about this value points to. */
  Place place();

  /** The value for a message: shortened, without secrets. */
  String shown();

  /**
   * A single value.
   *
   * @param value a String with placeholders resolved, Integer, Long, Double, Boolean or null; may
   *     be a secret
   * @param shown the value as the file has it, or a description where it may be a secret
   */
  record Scalar(String pointer, Place place, @Nullable Object value, String shown) implements Node {
    @Override
    public String toString() {
      return shown;
    }
  }

  /** A list. */
  record Sequence(String pointer, Place place, List<Node> items) implements Node {
    @Override
    public String shown() {
      return "a list";
    }
  }

  /** A mapping, in the order of the file. */
  record Mapping(String pointer, Place place, Map<String, Entry> entries) implements Node {
    @Override
    public String shown() {
      return "a mapping";
    }

    @Nullable Node get(String key) {
      Entry entry = entries.get(key);
      return entry == null ? null : entry.value();
    }
  }

  /**
   * One key of a mapping.
   *
   * @param key where the key stands
   */
  record Entry(Place key, Node value) {}

  /** The pointer of a mapping's or list's member. */
  static String pointer(String parent, String key) {
    return parent + "/" + key.replace("~", "~0").replace("/", "~1");
  }
}
