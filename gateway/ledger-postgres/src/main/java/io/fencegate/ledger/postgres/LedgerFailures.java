/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.ledger.postgres;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.pgclient.PgException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * Why the ledger gave no answer; the one place that sorts it. All of it is {@code
 * epoch-store-unavailable}: what was asked for may have happened, and may be asked for again.
 */
final class LedgerFailures {

  /** Longest piece of the server's own words that is passed on. */
  private static final int MESSAGE_CHARS = 300;

  /** Something that was found out here. */
  static final class Unusable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unusable(String message) {
      super(message, null, false, false);
    }
  }

  private LedgerFailures() {}

  /** The error code, or nothing where the server did not answer. */
  static String state(Throwable failure) {
    return failure instanceof PgException error && error.getSqlState() != null
        ? error.getSqlState()
        : "";
  }

  /**
   * Whether another connection has a chance: no answer, an ending server or session, or a statement
   * that was prepared for a table that has changed since.
   */
  static boolean isOfConnection(Throwable failure) {
    if (failure instanceof Unusable) {
      return false;
    }
    String state = state(failure);
    return state.isEmpty()
        || state.startsWith("57P")
        || state.startsWith("08")
        || (failure instanceof PgException error
            && "RevalidateCachedQuery".equals(error.getRoutine()));
  }

  /** Whether the schema, or what this version knows of it, is missing. */
  static boolean isNotInstalled(Throwable failure) {
    String state = state(failure);
    return state.equals("3F000") || state.equals("42883") || state.equals("42P01");
  }

  /**
   * The refusal. Logins are refused in words that may repeat the user's name; those are left out.
   *
   * @param place host and port
   */
  static Refusal refusal(Throwable failure, String place) {
    Refusal refusal =
        RefusalCode.EPOCH_STORE_UNAVAILABLE.because(
            "the ledger of epochs at " + place + ": " + why(failure));
    return state(failure).isEmpty() ? refusal : refusal.withSqlState(state(failure));
  }

  private static String why(Throwable failure) {
    if (failure instanceof Unusable found) {
      return String.valueOf(found.getMessage());
    }
    String state = state(failure);
    if (state.startsWith("28") || state.equals("3D000")) {
      return "it refuses the login";
    }
    if (failure instanceof PgException error && !state.isEmpty()) {
      return shorten(error.getErrorMessage());
    }
    if (failure instanceof TimeoutException) {
      return "no answer in time";
    }
    if (failure instanceof UnknownHostException) {
      return "host not known";
    }
    if (failure instanceof IllegalArgumentException || failure instanceof ClassCastException) {
      return "its answer cannot be read";
    }
    if (failure instanceof SSLException) {
      return "no TLS connection came about";
    }
    return failure instanceof ConnectException ? "connection refused" : "the connection broke";
  }

  private static String shorten(String message) {
    return message.length() <= MESSAGE_CHARS ? message : message.substring(0, MESSAGE_CHARS);
  }
}
