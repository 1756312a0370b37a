/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.model.TokenSource;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * There is nobody to ask, so what is believed is bounded by {@link ExternalRules}; and no lease, so
 * a confirmation is good for as long as a heartbeat counts.
 */
record ExternalSource(TokenSource.External terms) implements EpochSource {

  @Override
  public List<Op> look(Keyspace keys, ResourceName resource) {
    return VerifyTransaction.look(keys, resource);
  }

  @Override
  public Optional<Refusal> judge(FencingToken token, Commit.Judged found) {
    return ExternalRules.judge(token, terms, ForeignEpochs.record(found));
  }

  @Override
  public EpochRecord accepted(FencingToken token) {
    return EpochRecord.external(token);
  }

  @Override
  public List<Compare> proof(FencingToken token, Commit.Judged found) {
    return List.of();
  }

  @Override
  public Future<Long> goodUntilNanos(ClockReading askedAt, Commit.Judged found) {
    return Future.succeededFuture(
        askedAt.monotonicNanos() + GatewaySession.MAX_STALENESS.toNanos());
  }
}
