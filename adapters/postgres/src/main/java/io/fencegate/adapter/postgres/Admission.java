/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.fence.ShadowPermit;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

/** By what right a write's transaction goes on, and how the database is asked for it. */
sealed interface Admission {

  ResourceName resource();

  /** What the write's record says; null where it came without a token. */
  @Nullable FencingToken token();

  /** Asks the database; the first column of its answer is the database's clock. */
  Future<RowSet<Row>> ask(Session session, String writeId);

  /** The database compares the token, and keeps the epoch where it is until the end. */
  record Fenced(Permit permit) implements Admission {

    private static final String GUARD = "SELECT fencegate.guard($1, $2, $3)";

    @Override
    public ResourceName resource() {
      return permit.resource();
    }

    @Override
    public FencingToken token() {
      return permit.token();
    }

    @Override
    public Future<RowSet<Row>> ask(Session session, String writeId) {
      return session.call(GUARD, Tuple.of(resource().value(), token().value(), writeId));
    }
  }

  /**
   * In shadow no epoch is looked at and no lock taken; the rest of the guard stays: a commit that
   * is on disk before it is answered. Recording the write judges its id.
   */
  record LetThrough(ShadowPermit permit) implements Admission {

    private static final String NO_GUARD =
        "SELECT fencegate.clock(), fencegate.require_safe_transaction()::text";

    @Override
    public ResourceName resource() {
      return permit.resource();
    }

    @Override
    public @Nullable FencingToken token() {
      return permit.token();
    }

    @Override
    public Future<RowSet<Row>> ask(Session session, String writeId) {
      return session.call(NO_GUARD, Tuple.tuple());
    }
  }
}
