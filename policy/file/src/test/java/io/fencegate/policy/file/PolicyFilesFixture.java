/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What the tests of this package share. */
final class PolicyFilesFixture {

  static final String SECRET = "postgresql://settler:hunter2-secret@127.0.0.1:5432/ledger";

  private PolicyFilesFixture() {}

  static ValueResolver values() {
    return values(
        Map.of("LEDGER_URL", SECRET, "TTL", "1s-hunter2-secret", "NESTED", "${env:LEDGER_URL}"),
        Map.of("/run/key", "file-hunter2-secret"));
  }

  static ValueResolver values(Map<String, String> environment, Map<String, String> files) {
    return new ValueResolver() {
      @Override
      public Optional<String> environment(String name) {
        return Optional.ofNullable(environment.get(name));
      }

      @Override
      public Optional<String> file(String path) {
        return Optional.ofNullable(files.get(path));
      }
    };
  }

  static String example() {
    try (InputStream in =
        Objects.requireNonNull(PolicyFilesFixture.class.getResourceAsStream("example.yaml"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static PolicyLoad load(String... texts) {
    List<SourceFile> files = new java.util.ArrayList<>();
    for (int i = 0; i < texts.length; i++) {
      files.add(new SourceFile((char) ('a' + i) + ".yaml", texts[i]));
    }
    return PolicyFiles.load(files, values());
  }

  static List<String> messages(String... texts) {
    return load(texts)
        .fold(policies -> List.of(), all -> all.stream().map(PolicyMessage::text).toList());
  }

  static LoadedPolicies loaded(String... texts) {
    return load(texts)
        .fold(
            policies -> policies,
            all -> {
              throw new AssertionError("broken: " + all);
            });
  }
}
