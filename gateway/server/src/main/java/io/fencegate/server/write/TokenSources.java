/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.coordination.epoch.EpochLedger;
import io.fencegate.coordination.epoch.ForeignEpochs;
import io.fencegate.coordination.epoch.Verified;
import io.fencegate.policy.fence.FencingRules;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.model.TokenSource;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.SigningKey;
import io.fencegate.policy.token.TokenSignature;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whom to ask about a write's token, as its policy says. Used from one context. */
public final class TokenSources {

  private static final String SIGNATURE = "Fencing-Token-Signature";

  private final EpochLedger locks;
  private final ForeignEpochs others;

  public TokenSources(EpochLedger locks, ForeignEpochs others) {
    this.locks = locks;
    this.others = others;
  }

  /** Empty where the lock service is to be asked. */
  private static Optional<ForeignEpochs.Foreign> foreign(WriteCommand command) {
    return command
        .policy()
        .fencing()
        .source()
        .fold(
            Optional::empty,
            terms -> Optional.of(new ForeignEpochs.Foreign.External(terms)),
            election -> Optional.of(election(command, election)));
  }

  private static ForeignEpochs.Foreign election(
      WriteCommand command, TokenSource.Election election) {
    Map<String, String> variables =
        command.policy().match().match(command.resource()).orElseThrow();
    return new ForeignEpochs.Foreign.Election(election.prefixFor(variables));
  }

  /**
   * What is wrong with the token before anybody is asked: a signature that the policy wants, absent
   * or another one. For every write, since a confirmed token is not asked for again.
   */
  Optional<Refusal> objection(WriteCommand command) {
    Optional<SigningKey> key =
        command
            .policy()
            .fencing()
            .source()
            .fold(Optional::empty, TokenSource.External::key, election -> Optional.empty());
    return command.shown() == null
        ? Optional.empty()
        : key.flatMap(
            it ->
                badlySigned(
                    command.header(),
                    it.sign(command.resource(), command.header().token(), command.principal())));
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
    Optional<ForeignEpochs.Foreign> foreign = foreign(command);
    return foreign.isPresent()
        ? others.verifyAndRaise(
            command.resource(), command.header().token(), foreign.get(), command.deadlineNanos())
        : locks.verifyAndRaise(
            command.resource(),
            command.header(),
            command.leaseRequired(),
            seen,
            command.deadlineNanos());
  }

  /** What {@link #verifyAndRaise} would say now; raises nothing and gives no permission. */
  Future<Ruling<Verified>> verify(WriteCommand command, long deadlineNanos) {
    Optional<ForeignEpochs.Foreign> foreign = foreign(command);
    return foreign.isPresent()
        ? others.verify(command.resource(), command.header().token(), foreign.get(), deadlineNanos)
        : locks.verify(
            command.resource(), command.header(), command.leaseRequired(), deadlineNanos);
  }

  /** What it means that a downstream refused the token because of a higher epoch. */
  Future<Refusal> refusedByDownstream(WriteCommand command, FencingToken epoch) {
    return command.policy().fencing().isOfLocks()
        ? locks.refusedByDownstream(
            command.resource(),
            command.header(),
            command.leaseRequired(),
            epoch,
            command.deadlineNanos())
        : Future.succeededFuture(FencingRules.stale(command.header().token(), epoch));
  }
}
