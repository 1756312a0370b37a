/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.util.HashMap;
import java.util.Map;

/**
 * Where every value of the loaded set stands. Pointers are those of the set: as within one file,
 * but the indices of {@code resources} count across the files. Holds places only, no values.
 */
final class PlaceIndex {

  private static final String RESOURCES = "/resources/";

  /** A value's file and place there. */
  record Location(String file, Place place, String pointerInFile) {}

  private final Map<String, Location> locations = new HashMap<>();

  /** Adds a usable file's tree; its first resource has the index {@code offset} in the set. */
  void add(String file, Node root, int offset) {
    add(file, root, offset, root.place());
  }

  private void add(String file, Node node, int offset, Place place) {
    locations.putIfAbsent(inSet(node.pointer(), offset), new Location(file, place, node.pointer()));
    if (node instanceof Node.Mapping mapping) {
      mapping
          .entries()
          .values()
          .forEach(entry -> add(file, entry.value(), offset, entry.value().place()));
    } else if (node instanceof Node.Sequence sequence) {
      sequence.items().forEach(item -> add(file, item, offset, item.place()));
    }
  }

  private static String inSet(String pointer, int offset) {
    if (!pointer.startsWith(RESOURCES)) {
      return pointer;
    }
    int end = pointer.indexOf('/', RESOURCES.length());
    String index = pointer.substring(RESOURCES.length(), end < 0 ? pointer.length() : end);
    return RESOURCES + (Integer.parseInt(index) + offset) + (end < 0 ? "" : pointer.substring(end));
  }

  /** The value at the pointer or, where there is none, the nearest one around it. */
  Location nearest(String pointer) {
    String at = pointer;
    while (!at.isEmpty()) {
      Location found = locations.get(at);
      if (found != null) {
        return new Location(
            found.file(), found.place(), found.pointerInFile() + pointer.substring(at.length()));
      }
      at = at.substring(0, Math.max(0, at.lastIndexOf('/')));
    }
    Location root = locations.get("");
    return root == null
        ? new Location("(no policy file)", Place.START, pointer)
        : new Location(root.file(), root.place(), pointer);
  }
}
