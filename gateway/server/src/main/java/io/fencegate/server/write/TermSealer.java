/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.coordination.epoch.EpochLedger;
import io.fencegate.coordination.epoch.Verified;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Raises the downstream's epoch on the first write of a term, and keeps the coordinator's record of
 * what the downstream confirmed: the witness against one that loses commits. Used from one context.
 */
final class TermSealer {

  private static final Logger LOG = LoggerFactory.getLogger(TermSealer.class);

  private final EpochLedger epochs;
  private final TokenSources sources;
  private final ConfirmedEpochs confirmed = new ConfirmedEpochs();

  TermSealer(EpochLedger epochs, TokenSources sources) {
    this.epochs = epochs;
    this.sources = sources;
  }

  /** Whether the record of what the downstream confirmed has been read. */
  boolean isKnown(ResourceName resource) {
    return confirmed.isKnown(resource);
  }

  /** An operator has reset the epoch. */
  void forget(ResourceName resource) {
    confirmed.forget(resource);
  }

  void forgetAll() {
    confirmed.forgetAll();
  }

  void learn(ResourceName resource, Verified verified) {
    confirmed.learn(resource, Optional.ofNullable(verified.confirmed()));
  }

  /** Whether the downstream has confirmed this term, to this gateway or another. */
  boolean isSealed(Permit permit) {
    return confirmed.of(permit.resource()).filter(permit.token()::equals).isPresent();
  }

  /** Granted: the epoch is the permit's token, and no older write can land any more. */
  Future<Ruling<Permit>> seal(WriteCommand command, Permit permit) {
    Optional<FencingToken> floor = confirmed.of(permit.resource());
    return command
        .adapter()
        .seal(permit, new Seal(floor.orElse(null), command.deadlineNanos()))
        .otherwise(TermSealer::defect)
        .compose(
            outcome ->
                outcome.fold(
                    () -> witness(command, permit, floor).map(unused -> Ruling.granted(permit)),
                    epoch -> refused(command, epoch).map(Ruling::<Permit>refused),
                    refusal -> refused(Ruling.refused(refusal))));
  }

  /** What a downstream's higher epoch means for this write. */
  Future<Refusal> refused(WriteCommand command, FencingToken epoch) {
    return sources.refusedByDownstream(command, epoch);
  }

  private static Future<Ruling<Permit>> refused(Ruling<Permit> refusal) {
    return Future.succeededFuture(refusal);
  }

  private static SealOutcome defect(Throwable defect) {
    LOG.error("an adapter's seal failed", defect);
    return new SealOutcome.Failed(
        RefusalCode.DOWNSTREAM_UNAVAILABLE.because("the adapter met a defect while sealing"));
  }

  /** Records the downstream's word; without the record the next write seals again. */
  private Future<Void> witness(WriteCommand command, Permit permit, Optional<FencingToken> floor) {
    ResourceName resource = permit.resource();
    if (floor.filter(permit.token()::equals).isPresent()) {
      return Future.succeededFuture();
    }
    return epochs
        .confirm(resource, permit.token(), floor.orElse(null), command.deadlineNanos())
        .transform(
            answer -> {
              Optional<FencingToken> recorded =
                  answer.succeeded()
                      ? answer.result().fold(Optional::of, refusal -> Optional.empty())
                      : Optional.empty();
              recorded.ifPresentOrElse(
                  token -> confirmed.learn(resource, Optional.of(token)),
                  () -> LOG.warn("the downstream's epoch of {} was not recorded", resource));
              return Future.succeededFuture();
            });
  }
}
