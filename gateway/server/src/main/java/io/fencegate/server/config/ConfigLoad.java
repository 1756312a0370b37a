/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import java.util.List;
import java.util.function.Function;

/** What reading the server's settings came to: all of it, or none with every reason. */
public sealed interface ConfigLoad {

  /**
   * Everything was understood.
   *
   * @param warnings what was left aside although it looks like a setting
   */
  record Loaded(ServerConfig config, List<String> warnings) implements ConfigLoad {
    public Loaded {
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * Something cannot be used.
   *
   * @param messages at least one; each names its file, line and column, its variable or its flag
   */
  record Broken(List<String> messages) implements ConfigLoad {
    public Broken {
      messages = List.copyOf(messages);
    }
  }

  default <R> R fold(
      Function<? super Loaded, ? extends R> loaded,
      Function<? super List<String>, ? extends R> broken) {
    if (this instanceof Loaded yes) {
      return loaded.apply(yes);
    }
    return broken.apply(((Broken) this).messages());
  }
}
