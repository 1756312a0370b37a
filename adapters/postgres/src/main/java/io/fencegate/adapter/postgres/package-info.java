/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Writes to PostgreSQL, where the database itself compares the token in the write's transaction.
 *
 * <p>How a write runs. A session is taken from the pool, and the write gets an id that starts with
 * the database's clock. In one READ COMMITTED transaction go, without waiting in between: the time
 * limits, the claim of the Idempotency-Key where there is one, and the guard, which takes the
 * resource's advisory lock shared and compares the token with the resource's epoch. Only after the
 * guard's yes go the caller's statements, then the record of the write under its id, then COMMIT.
 * Whatever fails before COMMIT was sent is a definite no: the transaction is rolled back, and a
 * connection of which that is not certain is closed. Where COMMIT is not answered by a clear word,
 * the outcome is found out on another connection, which tries to take the write's id for itself: it
 * finds the record, or waits for the open transaction, or takes the id, so that the late COMMIT can
 * only fail. What can not be settled by the deadline is answered as unknown, with the id by which
 * it is settled later. Raising an epoch is a transaction of its own that takes the same lock
 * exclusively and so waits for every write that was let in before.
 *
 * <p>What the gateway's role needs: CONNECT to the database, USAGE of the schema {@code fencegate}
 * and EXECUTE of the functions in it, and whatever the operations of the policy do to their own
 * tables; no right to the tables of {@code fencegate}, which the functions reach as their owner.
 * Where the setting {@code install} is on and the schema is missing, the role also needs CREATE in
 * the database, and becomes the schema's owner. A role that lacks EXECUTE of {@code
 * fencegate.purge} writes all the same, but old records stay, and a warning in the log says so.
 */
@NullMarked
package io.fencegate.adapter.postgres;

import org.jspecify.annotations.NullMarked;
