/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import java.util.List;
import java.util.function.Function;

/** What loading a set of policy files came to: all of it, or none with every reason. */
public sealed interface PolicyLoad {

  /** Every file was understood. */
  record Loaded(LoadedPolicies policies) implements PolicyLoad {}

  /**
   * Something cannot be used.
   *
   * @param messages at least one; in the order of the files, lines and columns
   */
  record Broken(List<PolicyMessage> messages) implements PolicyLoad {
    public Broken {
      messages = List.copyOf(messages);
    }
  }

  default <R> R fold(
      Function<? super LoadedPolicies, ? extends R> loaded,
      Function<? super List<PolicyMessage>, ? extends R> broken) {
    if (this instanceof Loaded yes) {
      return loaded.apply(yes.policies());
    }
    return broken.apply(((Broken) this).messages());
  }
}
