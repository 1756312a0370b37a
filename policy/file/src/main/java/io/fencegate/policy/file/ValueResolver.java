/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.util.Optional;

/**
 * Where the values of {@code ${env:NAME}} and {@code ${file:/path}} come from. What it answers is
 * taken as it is (nothing in it is resolved again) and never appears in a message.
 */
public interface ValueResolver {

  /** The value of an environment variable; empty where it is not set. */
  Optional<String> environment(String name);

  /**
   * The content of a file, without the line break at its end; empty where it cannot be read.
   *
   * @param path absolute
   */
  Optional<String> file(String path);
}
