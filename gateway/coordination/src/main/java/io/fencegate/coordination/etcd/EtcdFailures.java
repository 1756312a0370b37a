/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.fencegate.coordination.store.StoreException;
import io.grpc.Status;
import java.util.Optional;

/**
 * Says what a failed call means. etcd's own errors carry a text that starts with {@code
 * etcdserver:}; those that it gives before a request reaches its log, or when its log refuses to
 * apply it, are definite. Everything else may have been carried out, or may be later: a time-out, a
 * lost connection, an election, and whatever is not known here.
 */
final class EtcdFailures {

  /** What is known of a request that failed. */
  enum Fate {
    /** Refused for good. */
    DEFINITE,
    /** Nothing is known. */
    INDEFINITE,
    /** Refused: a lease in it is gone. */
    LEASE_GONE,
    /** Refused: there is no space. */
    NO_SPACE,
    /** Refused before it ran, because the token is not known (any more): log in and send again. */
    TOKEN_REFUSED,
    /** Refused before it ran, by a node that is not ready: may be sent again. */
    NOT_TAKEN
  }

  private EtcdFailures() {}

  /**
   * Sorts a failure.
   *
   * @param spaceAlarm whether the node had its space alarm before the request was sent
   */
  static Fate sort(Status status, boolean spaceAlarm) {
    String text = status.getDescription() == null ? "" : status.getDescription();
    if (!text.startsWith("etcdserver: ")) {
      return Fate.INDEFINITE;
    }
    return switch (status.getCode()) {
      case NOT_FOUND ->
          text.contains("requested lease not found") ? Fate.LEASE_GONE : Fate.DEFINITE;
      case RESOURCE_EXHAUSTED -> exhausted(text, spaceAlarm);
      case UNAUTHENTICATED -> Fate.TOKEN_REFUSED;
      case INVALID_ARGUMENT ->
          text.contains("revision of auth store is old") || text.contains("user name is empty")
              ? Fate.TOKEN_REFUSED
              : Fate.DEFINITE;
      case PERMISSION_DENIED, FAILED_PRECONDITION, OUT_OF_RANGE -> Fate.DEFINITE;
      case UNAVAILABLE -> unavailable(text);
      default -> Fate.INDEFINITE;
    };
  }

  /**
   * A node that takes a transaction just below the quota and comes above it while it applies the
   * transaction answers with the same error, although it has applied it; it has no alarm yet. With
   * the alarm on, it applies nothing that needs space.
   */
  private static Fate exhausted(String text, boolean spaceAlarm) {
    if (text.contains("database space exceeded")) {
      return spaceAlarm ? Fate.NO_SPACE : Fate.INDEFINITE;
    }
    return text.contains("too many requests") ? Fate.DEFINITE : Fate.INDEFINITE;
  }

  /** Whether etcd has more to do than it can; not the same as an answer that is too long. */
  static boolean saysTooManyRequests(Status status) {
    return describe(status).contains("too many requests");
  }

  /** Both are said by an interceptor, before the request is looked at. */
  private static Fate unavailable(String text) {
    return text.contains("not capable") || text.contains("not supported for learner")
        ? Fate.NOT_TAKEN
        : Fate.INDEFINITE;
  }

  /** Whether etcd is out of space, whatever became of the request. */
  static boolean saysNoSpace(Status status) {
    return status.getCode() == Status.Code.RESOURCE_EXHAUSTED
        && describe(status).contains("database space exceeded");
  }

  /** Whether etcd says that user and password are wrong. */
  static boolean saysWrongLogin(Status status) {
    return status.getCode() == Status.Code.INVALID_ARGUMENT
        && describe(status).contains("authentication failed");
  }

  /** Whether etcd answered, and only said that this user may not; a majority has confirmed that. */
  static boolean saysPermissionDenied(Throwable failure) {
    return Status.fromThrowable(failure).getCode() == Status.Code.PERMISSION_DENIED;
  }

  /** Whether etcd knows no users at all. */
  static boolean saysNoUsers(Status status) {
    return status.getCode() == Status.Code.FAILED_PRECONDITION
        && describe(status).contains("authentication is not enabled");
  }

  /** Code, text and cause for people; no request and so no secret is in it. */
  static String describe(Status status) {
    String text = status.getDescription() == null ? "" : ": " + status.getDescription();
    String cause =
        Optional.ofNullable(status.getCause()).map(it -> " (" + it.getMessage() + ")").orElse("");
    return status.getCode() + text + cause;
  }

  /** What the port says of a fate; a request without effect is never in doubt. */
  static StoreException.Kind kind(Fate fate, Effect effect) {
    return switch (fate) {
      case DEFINITE, TOKEN_REFUSED, NOT_TAKEN -> StoreException.Kind.DEFINITE;
      case LEASE_GONE -> StoreException.Kind.LEASE_GONE;
      case NO_SPACE -> StoreException.Kind.NO_SPACE;
      case INDEFINITE ->
          effect == Effect.NONE ? StoreException.Kind.DEFINITE : StoreException.Kind.INDEFINITE;
    };
  }
}
