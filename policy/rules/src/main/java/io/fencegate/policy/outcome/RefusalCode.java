/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.outcome;

import static io.fencegate.policy.outcome.Certainty.REJECTED;
import static io.fencegate.policy.outcome.Certainty.UNKNOWN;
import static io.fencegate.policy.outcome.RefusalCode.Repeat.AS_IT_IS;
import static io.fencegate.policy.outcome.RefusalCode.Repeat.NEVER;

import java.util.Locale;

/**
 * Every reason for which Fencegate says no. The name on the wire is the constant's own, in lower
 * case with dashes. A code's certainty and repeatability are what holds unless the refusal says
 * otherwise.
 */
public enum RefusalCode {
  INVALID_REQUEST("The request is malformed", NEVER),
  INVALID_RESOURCE("The resource name is malformed", NEVER),
  INVALID_TOKEN("The fencing token is malformed", NEVER),
  TOKEN_NOT_ISSUED("This token was not issued for this resource and lease", NEVER),
  UNKNOWN_RESOURCE("No policy matches this resource", NEVER),
  UNKNOWN_OPERATION("The policy has no such operation", NEVER),
  NOT_FOUND("There is nothing at this address", NEVER),
  LOCK_HELD("The lock is held by somebody else", AS_IT_IS),
  WAIT_TIMEOUT("The wait ended without the lock", AS_IT_IS),
  IN_FLIGHT("The same request is being worked on", AS_IT_IS, UNKNOWN),
  LEASE_LOST("The lease, or the place in the queue, is gone", NEVER),
  STALE_TOKEN("A newer token was accepted or issued for this resource", NEVER),
  LEASE_EXPIRED("Nobody holds the lock that this token came with", NEVER),
  METHOD_NOT_ALLOWED("This address does not take this method", NEVER),
  REQUEST_TIMEOUT("The request did not arrive in time", NEVER),
  BODY_TOO_LARGE("The body is larger than the policy allows", NEVER),
  UNSUPPORTED_MEDIA_TYPE("The body's media type is not supported", NEVER),
  EXPECTATION_FAILED("This expectation cannot be met", NEVER),
  HEADERS_TOO_LARGE("The headers are too large", NEVER),
  REQUEST_ID_REUSED("The same requestId came with other parameters", NEVER),
  IDEMPOTENCY_KEY_REUSED("This Idempotency-Key cannot be used for this request", NEVER),
  OPERATION_FAILED("The downstream refused the operation; nothing was changed", NEVER),
  FROZEN("An operator has stopped these writes", NEVER),
  TOKEN_REQUIRED("A write needs a Fencing-Token", NEVER),
  LEASE_REQUIRED("A write to this resource needs a Fencing-Lease", NEVER),
  IDEMPOTENCY_KEY_REQUIRED("A write to this resource needs an Idempotency-Key", NEVER),
  TOO_MANY_WAITERS("Too many are waiting for this lock", AS_IT_IS),
  TOO_MANY_IN_FLIGHT("Too many writes to this resource are in flight", AS_IT_IS),
  UPSTREAM_UNREACHABLE("The downstream was not reached; nothing was sent", AS_IT_IS),
  COORDINATOR_UNAVAILABLE("The coordinator did not answer in time", AS_IT_IS),
  EPOCH_STORE_UNAVAILABLE("The ledger of accepted tokens cannot be used at present", AS_IT_IS),
  OVERLOADED("More work is waiting than the gateway accepts", AS_IT_IS),
  PREDECESSOR_UNRESOLVED("An older write to this resource may still land", AS_IT_IS),
  DRAINING("This gateway is shutting down", AS_IT_IS),
  HANDOVER("The resource is changing over to other terms", AS_IT_IS),
  DOWNSTREAM_BUSY("The downstream did not apply it now and may later", AS_IT_IS),
  DOWNSTREAM_UNAVAILABLE("The downstream takes no writes at present", AS_IT_IS),
  EPOCH_WENT_BACKWARDS(
      "The downstream lost an epoch that was recorded; closed until an operator decides", NEVER),
  TOKEN_BELOW_FLOOR(
      "The coordinator issues lower tokens than were accepted; its generation has to be raised",
      AS_IT_IS),
  OUTCOME_UNKNOWN("The write was sent and its result is not known", NEVER, UNKNOWN),
  INTERNAL_ERROR("The gateway met a defect of its own", NEVER, UNKNOWN);

  enum Repeat {
    NEVER,
    AS_IT_IS
  }

  private final String title;
  private final Repeat repeat;
  private final Certainty certainty;

  RefusalCode(String title, Repeat repeat) {
    this(title, repeat, REJECTED);
  }

  RefusalCode(String title, Repeat repeat, Certainty certainty) {
    this.title = title;
    this.repeat = repeat;
    this.certainty = certainty;
  }

  public String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** One sentence for people; the same for every occurrence of the code. */
  public String title() {
    return title;
  }

  /** Whether the same request may be sent again. */
  public boolean retryable() {
    return repeat == AS_IT_IS;
  }

  public Certainty certainty() {
    return certainty;
  }

  /** A refusal with this code; {@code detail} says what was given and what was expected. */
  public Refusal because(String detail) {
    return Refusal.of(this, detail);
  }
}
