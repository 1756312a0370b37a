/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import io.vertx.sqlclient.TransactionRollbackException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import javax.net.ssl.SSLException;

/** The driver's failures, sorted. */
final class PgFailures {

  /** A refusal on its way through a chain of futures. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Refusal refusal;

    Refused(Refusal refusal) {
      super(refusal.detail(), null, false, false);
      this.refusal = refusal;
    }

    Refusal refusal() {
      return refusal;
    }
  }

  private PgFailures() {}

  /** The error code, or nothing where the server did not answer. */
  static String state(Throwable failure) {
    return failure instanceof PgException error && error.getSqlState() != null
        ? error.getSqlState()
        : "";
  }

  /**
   * Whether a statement that the connection had prepared no longer fits its table: the connection
   * has to go, the same write passes on another. Told by the server's routine, because its words
   * are translated.
   */
  static boolean isOutdatedPlan(Throwable failure) {
    return failure instanceof PgException error
        && "RevalidateCachedQuery".equals(error.getRoutine());
  }

  /** The server's own words. */
  static String message(Throwable failure) {
    return failure instanceof PgException error
        ? error.getErrorMessage()
        : failure.getClass().getSimpleName();
  }

  /** A failure of the caller's statements, before COMMIT was sent: nothing is left behind. */
  static Refusal ofStatement(Throwable failure) {
    return of(failure, SqlStates::refusal);
  }

  /** A failure of the adapter's own statements, before COMMIT was sent. */
  static Refusal ofOwn(Throwable failure) {
    return of(failure, SqlStates::ownRefusal);
  }

  private static Refusal of(Throwable failure, BiFunction<String, String, Refusal> answered) {
    if (failure instanceof Refused no) {
      return no.refusal();
    }
    if (isOutdatedPlan(failure)) {
      return RefusalCode.DOWNSTREAM_BUSY.because(
          "a table changed under a prepared statement; nothing was changed");
    }
    if (failure instanceof PgException error && error.getSqlState() != null) {
      return answered.apply(error.getSqlState(), error.getErrorMessage());
    }
    return failure instanceof TimeoutException
        ? RefusalCode.DOWNSTREAM_BUSY.because(
            "the database did not answer in time; the transaction was given up before COMMIT")
        : RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
            "the connection to the database broke before COMMIT was sent");
  }

  /**
   * No connection came about: nothing was sent. Says where to and why, without the driver's and the
   * server's own words: those may repeat the user's name.
   *
   * @param place host and port
   */
  static Refusal ofConnect(Throwable failure, String place) {
    if (failure instanceof Refused no) {
      return no.refusal();
    }
    if (failure instanceof PgException error && error.getSqlState() != null) {
      return RefusalCode.DOWNSTREAM_UNAVAILABLE
          .because("the database at " + place + " " + SqlStates.whyNoLogin(error.getSqlState()))
          .withSqlState(error.getSqlState());
    }
    return RefusalCode.UPSTREAM_UNREACHABLE.because(
        "no connection to the database at " + place + ": " + whyNoConnection(failure));
  }

  /** The order matters: a time-out of the network library is a kind of refused connection. */
  private static String whyNoConnection(Throwable failure) {
    if (failure instanceof TimeoutException || mentions(failure, "timed out")) {
      return "timed out";
    }
    if (failure instanceof UnknownHostException || failure instanceof UnresolvedAddressException) {
      return "host not known";
    }
    if (failure instanceof NoRouteToHostException || mentions(failure, "unreachable")) {
      return "no route to the host";
    }
    if (failure instanceof ConnectException) {
      return "connection refused";
    }
    if (failure instanceof SSLException) {
      return "no TLS connection came about";
    }
    return failure instanceof ClosedConnectionException
            || failure instanceof ClosedChannelException
            || mentions(failure, "reset")
        ? "connection closed by the server"
        : "it broke before the login was done (" + failure.getClass().getSimpleName() + ")";
  }

  private static boolean mentions(Throwable failure, String word) {
    return failure instanceof IOException
        && failure.getMessage() != null
        && failure.getMessage().toLowerCase(Locale.ROOT).contains(word);
  }

  /** Whether a failed COMMIT may have taken effect all the same. */
  static boolean leavesCommitInDoubt(Throwable failure) {
    if (failure instanceof TransactionRollbackException) {
      return false;
    }
    String state = state(failure);
    return state.isEmpty() || SqlStates.leavesCommitInDoubt(state);
  }

  /** A COMMIT that was answered with a no. */
  static Refusal ofCommit(Throwable failure) {
    return failure instanceof TransactionRollbackException
        ? RefusalCode.OPERATION_FAILED.because("the database rolled the transaction back")
        : ofStatement(failure);
  }
}
