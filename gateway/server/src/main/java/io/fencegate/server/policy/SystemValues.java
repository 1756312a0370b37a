/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.policy.file.ValueResolver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Values of placeholders from this process's environment and file system. Blocks. */
public final class SystemValues implements ValueResolver {

  @Override
  public Optional<String> environment(String name) {
    return Optional.ofNullable(System.getenv(name));
  }

  @Override
  public Optional<String> file(String path) {
    try {
      return Optional.of(Files.readString(Path.of(path)).stripTrailing());
    } catch (IOException | SecurityException e) {
      return Optional.empty();
    }
  }
}
