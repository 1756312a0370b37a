/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.lease;

import java.util.List;

/** What one step came to: the next state and what is to be done. */
public record LeaseStep(LeaseState state, List<LeaseCommand> commands) {

  public LeaseStep {
    commands = List.copyOf(commands);
  }

  static LeaseStep of(LeaseState state, LeaseCommand... commands) {
    return new LeaseStep(state, List.of(commands));
  }
}
