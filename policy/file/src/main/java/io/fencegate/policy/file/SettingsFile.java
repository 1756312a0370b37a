/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.util.ArrayList;
import java.util.List;

/**
 * A YAML file of settings, read as strictly as policy files are: unique keys, no anchors, no tags,
 * no spelling that readers of YAML understand differently. Which keys there are is for the caller
 * to judge. Pure: the file and the values of placeholders are handed in.
 */
public final class SettingsFile {

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final List<Setting> settings;
  private final List<PolicyMessage> messages;

  private SettingsFile(List<Setting> settings, List<PolicyMessage> messages) {
    this.settings = List.copyOf(settings);
    this.messages = List.copyOf(messages);
  }

  /**
   * Reads a file. One without any content has no settings.
   *
   * @param resolver where {@code ${env:NAME}} and {@code ${file:/path}} get their values
   */
  public static SettingsFile read(SourceFile file, ValueResolver resolver) {
    if (isEmpty(file.text())) {
      return new SettingsFile(List.of(), List.of());
    }
    Problems problems = new Problems(file.name());
    List<Setting> settings = new ArrayList<>();
    YamlReader.read(file, resolver, problems)
        .ifPresent(
            root -> {
              if (root instanceof Node.Mapping mapping) {
                flatten(mapping, "", problems, settings);
              } else {
                problems.blame(root, "a mapping of settings");
              }
            });
    return new SettingsFile(settings, problems.inOrder());
  }

  private static boolean isEmpty(String text) {
    return text.lines()
        .map(line -> line.replace(BYTE_ORDER_MARK, ' ').strip())
        .allMatch(line -> line.isEmpty() || line.startsWith("#"));
  }

  private static void flatten(
      Node.Mapping mapping, String parent, Problems problems, List<Setting> settings) {
    mapping
        .entries()
        .forEach(
            (key, entry) -> {
              String path = parent.isEmpty() ? key : parent + "." + key;
              Node node = entry.value();
              settings.add(new Setting(path, problems.file(), entry.key(), node, problems));
              if (node instanceof Node.Mapping inner) {
                flatten(inner, path, problems, settings);
              }
            });
  }

  /** Every key in the order of the file, a mapping's before those within it. */
  public List<Setting> settings() {
    return settings;
  }

  /** What is wrong with the file as YAML, and placeholders without a value. */
  public List<PolicyMessage> messages() {
    return messages;
  }
}
