/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.epoch;

import io.fencegate.coordination.commit.Commit;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** Somebody other than the lock service who issues tokens, and what is believed of them. */
interface EpochSource {

  /** What has to be read: a first step of its own, then epoch and confirmed. */
  List<Op> look(Keyspace keys, ResourceName resource);

  /** The refusal; empty where the token is accepted, and raises the epoch if it is above it. */
  Optional<Refusal> judge(FencingToken token, Commit.Judged found);

  /** The record of the token once it is accepted. */
  EpochRecord accepted(FencingToken token);

  /** What must still hold of what was judged when the epoch is raised. */
  List<Compare> proof(FencingToken token, Commit.Judged found);

  /**
   * Until when the confirmation is good, monotonic.
   *
   * @param askedAt when the request that confirmed it was about to leave
   */
  Future<Long> goodUntilNanos(ClockReading askedAt, Commit.Judged found);
}
