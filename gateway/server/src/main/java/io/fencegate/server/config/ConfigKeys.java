/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Which keys exist, which do not yet, and what was probably meant by any other; pure. */
final class ConfigKeys {

  static final String VARIABLE_PREFIX = "FENCEGATE_";

  static final String NOT_IN_THIS_VERSION = "nothing: this key is not in this version";

  /** Keys that the format reserves and this version cannot serve; what is below them too. */
  private static final Set<String> RESERVED = Set.of("auth", "worker.tls", "operator.tls");

  private ConfigKeys() {}

  static Optional<ConfigKey> at(String path) {
    return ConfigKey.all().filter(key -> key.path().equals(path)).findAny();
  }

  /** Whether keys stand below this one. */
  static boolean isSection(String path) {
    return ConfigKey.all().anyMatch(key -> key.path().startsWith(path + "."));
  }

  static boolean isReserved(String path) {
    return RESERVED.stream().anyMatch(it -> path.equals(it) || path.startsWith(it + "."));
  }

  /** Whether a variable would name a reserved key. */
  static boolean isReservedVariable(String variable) {
    return RESERVED.stream()
        .map(path -> VARIABLE_PREFIX + path.replace('.', '_').toUpperCase(Locale.ROOT))
        .anyMatch(it -> variable.equals(it) || variable.startsWith(it + "_"));
  }

  /** The keys that may stand directly below a section, or at the top for {@code ""}. */
  static List<String> within(String section) {
    String prefix = section.isEmpty() ? "" : section + ".";
    return ConfigKey.all()
        .map(ConfigKey::path)
        .filter(path -> path.startsWith(prefix))
        .map(path -> path.substring(prefix.length()).split("\\.", 2)[0])
        .distinct()
        .toList();
  }

  static Set<String> variables() {
    return ConfigKey.all().map(ConfigKey::variable).collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Whether a variable looks as if it was meant for this file: its second word is one of the file's
   * sections.
   */
  static boolean looksLikeOurs(String variable) {
    if (!variable.startsWith(VARIABLE_PREFIX)) {
      return false;
    }
    String word = variable.substring(VARIABLE_PREFIX.length()).split("_", 2)[0];
    return within("").stream().anyMatch(it -> it.toUpperCase(Locale.ROOT).equals(word));
  }
}
