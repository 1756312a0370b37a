/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Function;

/**
 * A ledger of epochs outside of the coordinator. It judges no locks: whoever raises something here
 * has asked the coordinator before and asks it again after.
 *
 * <p>Every future completes within a bounded time, at the latest soon after its deadline
 * (monotonic), on the caller's context, and never fails. A refusal is always {@code
 * epoch-store-unavailable}; what was asked for may then have happened all the same, or may happen
 * later. That is harmless: epochs only rise, to tokens that were issued.
 */
public interface EpochStore {

  /**
   * What is kept of a resource.
   *
   * @param confirmed the token that the downstream is known to have accepted
   */
  record Kept(EpochRecord epoch, Optional<FencingToken> confirmed) {}

  /** What a raise came to. */
  sealed interface Raise {

    /** The epoch is the token, durably. */
    record Raised(Optional<FencingToken> confirmed) implements Raise {}

    /** A higher token was accepted before; nothing has changed. */
    record Higher(EpochRecord found) implements Raise {}

    /** Tokens without an order to this one were accepted before; nothing has changed. */
    record OtherSource(EpochRecord found) implements Raise {}

    default <T> T fold(
        Function<? super Raised, T> raised,
        Function<EpochRecord, T> higher,
        Function<EpochRecord, T> otherSource) {
      if (this instanceof Raised yes) {
        return raised.apply(yes);
      }
      return this instanceof Higher no
          ? higher.apply(no.found())
          : otherSource.apply(((OtherSource) this).found());
    }
  }

  /** Which ledger it is, in up to 64 visible characters; another one has another name. */
  Future<Ruling<String>> identity(long deadlineNanos);

  /** What is kept of the resource. */
  Future<Ruling<Optional<Kept>>> look(ResourceName resource, long deadlineNanos);

  /**
   * Raises the resource's epoch where it is absent, or lower and of tokens that this one has an
   * order with. A token that a break has put is no higher than the same token of a lock.
   */
  Future<Ruling<Raise>> raise(ResourceName resource, EpochRecord record, long deadlineNanos);

  /** Records that the downstream accepted a token; answers the highest such token. */
  Future<Ruling<FencingToken>> confirm(
      ResourceName resource, FencingToken token, long deadlineNanos);

  /** Forgets what the downstream has accepted of the resource, not its epoch. */
  Future<Ruling<Boolean>> forgetConfirmed(ResourceName resource, long deadlineNanos);

  /**
   * Forgets the resource if exactly this is its epoch.
   *
   * @return whether nothing is kept of it any more
   */
  Future<Ruling<Boolean>> forget(ResourceName resource, EpochRecord seen, long deadlineNanos);

  /** Ends every connection. Idempotent. */
  Future<Void> close();
}
