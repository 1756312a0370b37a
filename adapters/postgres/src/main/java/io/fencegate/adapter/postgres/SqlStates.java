/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import java.util.Set;

/**
 * What PostgreSQL's error codes mean for a write; the one table.
 *
 * <table>
 * <caption>first row that fits</caption>
 * <tr><th>SQLSTATE</th><th>meaning</th></tr>
 * <tr><td>40xxx, 55P03, 55006, 57014, 25P03, 25P04</td><td>{@code downstream-busy}: conflicts,
 *     deadlocks, time limits; a repeat has a chance</td></tr>
 * <tr><td>08xxx, 28xxx, 3D000, 53xxx, 57Pxx, 58xxx, F0xxx, XXxxx, 25006</td>
 *     <td>{@code downstream-unavailable}: no login, no room, shutting down, read-only</td></tr>
 * <tr><td>everything else</td><td>{@code operation-failed}: the statement itself is refused</td></tr>
 * </table>
 *
 * <p>An error before COMMIT was sent leaves nothing behind, whatever it is. An answer to COMMIT
 * does too, unless it may have been given by a server that was past the point of no return: 08, 53,
 * 57P, 58, XX, a session that was ended for its idleness, and 40003 by its very definition.
 */
final class SqlStates {

  /** Guard refusals, see the schema. */
  static final String STALE = "FG001";

  static final String RAISE_FIRST = "FG002";
  static final String WENT_BACKWARDS = "FG003";
  static final String WRITE_ID_AGE = "FG005";

  private static final Set<String> NOT_INSTALLED = Set.of("3F000", "42883", "42P01");
  private static final Set<String> BUSY = Set.of("55P03", "55006", "57014", "25P03", "25P04");
  private static final Set<String> UNAVAILABLE = Set.of("25006", "3D000");
  private static final Set<String> UNAVAILABLE_CLASSES = Set.of("08", "28", "53", "58", "F0", "XX");
  private static final Set<String> DOUBTFUL = Set.of("25P03", "25P04", "40003");
  private static final Set<String> DOUBTFUL_CLASSES = Set.of("08", "53", "58", "XX");

  /** Longest piece of a server's message that is passed on. */
  private static final int MESSAGE_CHARS = 500;

  private SqlStates() {}

  /** What an error means that is known to have left nothing behind. */
  static RefusalCode meaning(String state) {
    if (BUSY.contains(state) || state.startsWith("40")) {
      return RefusalCode.DOWNSTREAM_BUSY;
    }
    return UNAVAILABLE.contains(state) || isShutdown(state) || isOf(UNAVAILABLE_CLASSES, state)
        ? RefusalCode.DOWNSTREAM_UNAVAILABLE
        : RefusalCode.OPERATION_FAILED;
  }

  /** The refusal of an error that is known to have left nothing behind. */
  static Refusal refusal(String state, String message) {
    return meaning(state).because(shorten(message)).withSqlState(state);
  }

  /**
   * The refusal of an error in this adapter's own part of a transaction, where the caller's
   * operation is not to blame whatever the code says.
   */
  static Refusal ownRefusal(String state, String message) {
    RefusalCode code = meaning(state);
    return (code == RefusalCode.OPERATION_FAILED ? RefusalCode.DOWNSTREAM_UNAVAILABLE : code)
        .because("fencegate schema: " + shorten(message))
        .withSqlState(state);
  }

  /** Whether a COMMIT that was answered with this error may have taken effect. */
  static boolean leavesCommitInDoubt(String state) {
    return DOUBTFUL.contains(state) || isShutdown(state) || isOf(DOUBTFUL_CLASSES, state);
  }

  /** Why a database that answered takes no connection; goes behind "the database at ...". */
  static String whyNoLogin(String state) {
    String why =
        switch (state) {
          case "3D000" -> "has no database of that name";
          case "53300" -> "has no connection left";
          case "42501" -> "does not let this role connect";
          default ->
              state.startsWith("28")
                  ? "refuses the login"
                  : isShutdown(state) ? "is starting or stopping" : "takes no connection";
        };
    return why + " (SQLSTATE " + state + ")";
  }

  /** Whether the schema or a part of it is missing. */
  static boolean isNotInstalled(String state) {
    return NOT_INSTALLED.contains(state);
  }

  private static boolean isShutdown(String state) {
    return state.startsWith("57P");
  }

  private static boolean isOf(Set<String> classes, String state) {
    return state.length() == 5 && classes.contains(state.substring(0, 2));
  }

  private static String shorten(String message) {
    return message.length() <= MESSAGE_CHARS ? message : message.substring(0, MESSAGE_CHARS);
  }
}
