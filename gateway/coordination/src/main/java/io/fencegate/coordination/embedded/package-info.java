/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The coordination store of a single gateway: all state in memory, every commit in SQLite first.
 *
 * <p>The file {@code store.db} may be read at any time, with the {@code sqlite3} shell for example;
 * whoever writes to it breaks the fence. Its tables:
 *
 * <ul>
 *   <li>{@code kv (key, value, create_revision, mod_revision, lease)}: what is there now; lease 0:
 *       none.
 *   <li>{@code lease (id, ttl_seconds)}: the leases that live. Their deadlines are not stored:
 *       after a restart each gets its whole time again, because ending late is safe and ending
 *       early is not.
 *   <li>{@code history (revision, key, kind, value, create_revision, lease)}: the last changes,
 *       kind {@code changed} or {@code deleted}, for watches that resume.
 *   <li>{@code meta (name, value)}: {@code revision}, the last one given; {@code last_lease}, the
 *       last lease id given.
 * </ul>
 *
 * <p>The file {@code store.lock} is empty; whoever holds its lock owns the directory.
 */
@NullMarked
package io.fencegate.coordination.embedded;

import org.jspecify.annotations.NullMarked;
