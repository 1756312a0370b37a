/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.outcome.Certainty;
import java.time.Duration;
import java.util.concurrent.ExecutionException;

/** Waits for replies on the caller's thread. */
final class Deliveries {

  private Deliveries() {}

  /** Sends once and waits; an interrupt ends the waiting, not what was sent. */
  static Transport.Reply deliver(Transport transport, Transport.Call call, Duration patience) {
    try {
      return transport.send(call, patience).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Transport.Reply.InDoubt(Problem.interrupted(Certainty.UNKNOWN).detail());
    } catch (ExecutionException e) {
      return new Transport.Reply.InDoubt("the exchange failed");
    }
  }
}
