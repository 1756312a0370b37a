/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.policy.token.FencingToken;
import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

/** What the schema's functions say of a key. */
final class RecordRows {

  private RecordRows() {}

  static RecordedWrite read(Row row) {
    return switch (row.getString("state")) {
      case "applied" ->
          new RecordedWrite.Applied(
              token(row.getLong("token")),
              row.getString("fingerprint"),
              row.getString("result"),
              row.getOffsetDateTime("at").toInstant());
      case "closed" -> new RecordedWrite.Closed(row.getOffsetDateTime("at").toInstant());
      case "in-flight" -> new RecordedWrite.InFlight();
      default -> new RecordedWrite.None();
    };
  }

  private static @Nullable FencingToken token(@Nullable Long recorded) {
    return recorded == null ? null : new FencingToken(recorded);
  }
}
