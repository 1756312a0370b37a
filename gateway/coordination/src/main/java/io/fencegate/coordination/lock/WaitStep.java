/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

import java.util.List;

/** A state and what to do on entering it, in order. */
record WaitStep(WaitState state, List<WaitCommand> commands) {

  WaitStep {
    commands = List.copyOf(commands);
  }

  static WaitStep to(WaitState state, WaitCommand... commands) {
    return new WaitStep(state, List.of(commands));
  }
}
