/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.coordination.epoch.EpochLedger;
import io.fencegate.coordination.epoch.ExternalEpochs;
import io.fencegate.coordination.epoch.Verified;
import io.fencegate.policy.fence.FencingRules;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.model.TokenSource;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.TokenSignature;
import io.vertx.core.Future;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whom to ask about a write's token, as its policy says. Used from one context. */
public final class TokenSources {

  private static final String SIGNATURE = "Fencing-Token-Signature";

  private final EpochLedger locks;
  private final ExternalEpochs external;

  public TokenSources(EpochLedger locks, ExternalEpochs external) {
    this.locks = locks;
    this.external = external;
  }

  private static TokenSource sourceOf(WriteCommand command) {
    return command.policy().fencing().source();
  }

  /**
   * What is wrong with the token before anybody is asked: a signature that the policy wants, absent
   * or another one. For every write, since a confirmed token is not asked for again.
   */
  Optional<Refusal> objection(WriteCommand command) {
    WriteHeader shown = command.shown();
    return sourceOf(command)
        .fold(
            Optional::empty,
            source ->
                shown == null
                    ? Optional.empty()
                    : source
                        .key()
                        .flatMap(
                            key ->
                                badlySigned(
                                    shown,
                                    key.sign(
                                        command.resource(), shown.token(), command.principal()))));
  }

  private static Optional<Refusal> badlySigned(WriteHeader shown, TokenSignature expected) {
    TokenSignature given = shown.signature();
    if (given != null && expected.equals(given)) {
      return Optional.empty();
    }
    String what =
        given == null
            ? "no " + SIGNATURE + " header was given, expected the issuer's"
            : "the signature is not the issuer's for this resource, token and principal";
    return Optional.of(RefusalCode.TOKEN_NOT_ISSUED.because(what).atField(SIGNATURE));
  }

  /**
   * Confirms the token and raises the resource's epoch to it.
   *
   * @param seen the epoch as last seen; null for none
   */
  Future<Ruling<Verified>> verifyAndRaise(WriteCommand command, @Nullable FencingToken seen) {
    return sourceOf(command)
        .fold(
            () ->
                locks.verifyAndRaise(
                    command.resource(),
                    command.header(),
                    command.leaseRequired(),
                    seen,
                    command.deadlineNanos()),
            source ->
                external.verifyAndRaise(
                    command.resource(), command.header().token(), source, command.deadlineNanos()));
  }

  /** What {@link #verifyAndRaise} would say now; raises nothing and gives no permission. */
  Future<Ruling<Verified>> verify(WriteCommand command, long deadlineNanos) {
    return sourceOf(command)
        .fold(
            () ->
                locks.verify(
                    command.resource(), command.header(), command.leaseRequired(), deadlineNanos),
            source ->
                external.verify(
                    command.resource(), command.header().token(), source, deadlineNanos));
  }

  /** What it means that a downstream refused the token because of a higher epoch. */
  Future<Refusal> refusedByDownstream(WriteCommand command, FencingToken epoch) {
    return sourceOf(command)
        .fold(
            () ->
                locks.refusedByDownstream(
                    command.resource(),
                    command.header(),
                    command.leaseRequired(),
                    epoch,
                    command.deadlineNanos()),
            source -> Future.succeededFuture(FencingRules.stale(command.header().token(), epoch)));
  }
}
