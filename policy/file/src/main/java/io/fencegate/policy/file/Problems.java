/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What is wrong with one file so far. A value that was blamed once is not blamed again by a later
 * check, so that one cause gives one message.
 */
final class Problems {

  private final String file;
  private final List<PolicyMessage> messages = new ArrayList<>();
  private final Set<String> blamed = new HashSet<>();

  Problems(String file) {
    this.file = file;
  }

  String file() {
    return file;
  }

  boolean blames(String pointer) {
    return blamed.contains(pointer);
  }

  /** Blames the value at {@code pointer}, unless an earlier check has done so. */
  void blame(String pointer, Place place, String given, String expected) {
    if (blamed.add(pointer)) {
      note(pointer, place, given, expected);
    }
  }

  /** Blames a value once more, for another reason of the same check. */
  void blameFully(String pointer, Place place, String given, String expected) {
    blamed.add(pointer);
    note(pointer, place, given, expected);
  }

  void blame(Node node, String expected) {
    blame(node.pointer(), node.place(), node.shown(), expected);
  }

  /** Reports something beside the value at {@code pointer}, which may still be blamed itself. */
  void note(String pointer, Place place, String given, String expected) {
    messages.add(new PolicyMessage(file, place.line(), place.column(), pointer, given, expected));
  }

  List<PolicyMessage> inOrder() {
    return messages.stream()
        .distinct()
        .sorted(
            Comparator.comparingInt(PolicyMessage::line).thenComparingInt(PolicyMessage::column))
        .toList();
  }
}
