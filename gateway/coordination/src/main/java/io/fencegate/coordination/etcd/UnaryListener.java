/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** Waits for the one answer of a call. */
final class UnaryListener<A> extends ClientCall.Listener<A> {

  /** Told once, on the loop. */
  interface Outcome<A> {
    void answered(A answer);

    void failed(Status status);
  }

  private final Outcome<A> outcome;
  private @Nullable A answer;

  UnaryListener(Outcome<A> outcome) {
    this.outcome = outcome;
  }

  @Override
  public void onMessage(A message) {
    answer = message;
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    A received = answer;
    if (status.isOk() && received != null) {
      outcome.answered(received);
    } else {
      outcome.failed(status);
    }
  }
}
