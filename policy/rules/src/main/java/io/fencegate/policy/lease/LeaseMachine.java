/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.lease;

import io.fencegate.policy.lease.LeaseCommand.Announce;
import io.fencegate.policy.lease.LeaseCommand.LookAt;
import io.fencegate.policy.lease.LeaseCommand.RenewAfter;
import io.fencegate.policy.lease.LeaseCommand.Stop;
import io.fencegate.policy.lease.LeaseEvent.RenewalConfirmed;
import io.fencegate.policy.lease.LeaseState.Doubt;
import io.fencegate.policy.lease.LeaseState.Leading;
import io.fencegate.policy.lease.LeaseState.Loss;
import io.fencegate.policy.lease.LeaseState.Lost;
import io.fencegate.policy.lease.LeaseState.Suspect;
import io.fencegate.policy.time.ClockReading;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The authority budget of a lease holder, pure: state and event in, state and commands out.
 *
 * <pre>
 *   granted                  confirmed (same lease, before the deadline)
 *      |                  +-----------------------------------------------+
 *      v                  v                                               |
 *   LEADING --------------------- renewal uncertain, or clocks ------> SUSPECT
 *      |  ^ |                     moved apart                             |
 *      |  +-+ confirmed                                                   |
 *      |                                                                  |
 *      +--- deadline passed, not the owner, released ---> LOST <----------+
 *                                                        (final)
 * </pre>
 *
 * <ul>
 *   <li>LEADING: the lease is confirmed until the deadline; writes may go out.
 *   <li>SUSPECT: it may or may not be ours; no new writes, keep trying to renew.
 *   <li>LOST: over; only a new acquire gives authority again, and another one.
 * </ul>
 *
 * <p><b>Why it counts as it does.</b> The gateway counts the remaining time from its handling of
 * the request, which lies somewhere between the holder's send and its receipt. Counted from
 * <em>before the send</em> the holder's deadline can only be early, never late; a margin is taken
 * off for clocks that run at slightly different rates. The deadline lives on the monotonic clock,
 * which no operator sets. That clock may stand still while a machine is suspended, so both clocks
 * are compared at every step with the step before, and an answer is compared with the moment its
 * request left: when they moved apart by more than the margin, what is known counts for nothing
 * until a renewal that was sent afterwards is confirmed. Every step looks at the deadline before it
 * looks at the event, so a late acknowledgement revives nothing.
 *
 * <p>None of this makes a write safe: the gateway decides that by the token. It keeps a holder from
 * working on in vain.
 *
 * @param ttlMillis what was granted for one renewal
 * @param marginMillis how far the clocks may move apart, and what is taken off every deadline
 */
public record LeaseMachine(long ttlMillis, long marginMillis) {

  /** Least margin: a scheduling pause and a network round trip on an ordinary day. */
  private static final long MIN_MARGIN_MILLIS = 250;

  /** Two percent of clock-rate drift is far beyond what quartz does. */
  private static final long MARGIN_DIVISOR = 50;

  /** A renewal may fail twice and a third one still comes in time. */
  private static final long RENEWALS_PER_TTL = 3;

  /** In doubt, renewals follow more closely ... */
  private static final long RETRIES_PER_TTL = 20;

  /** ... but not in a rush when many holders are in doubt at once. */
  private static final long MIN_RETRY_MILLIS = 100;

  private static final long NANOS_PER_MILLI = 1_000_000L;

  public LeaseMachine {
    if (ttlMillis < 1 || marginMillis < 0) {
      throw new IllegalArgumentException(
          "ttl " + ttlMillis + " ms and margin " + marginMillis + " ms, expected 1.. and 0..");
    }
  }

  /** A machine with the usual margin: 250 ms or a fiftieth of the TTL, whichever is more. */
  public static LeaseMachine forTtl(Duration ttl) {
    long ttlMillis = ttl.toMillis();
    return new LeaseMachine(ttlMillis, Math.max(MIN_MARGIN_MILLIS, ttlMillis / MARGIN_DIVISOR));
  }

  /** How long a renewal may stay unanswered before it counts as uncertain. */
  public long renewalPatienceMillis() {
    return Math.max(1, ttlMillis / RENEWALS_PER_TTL);
  }

  /**
   * The first state of a lease that was just granted.
   *
   * @param sent both clocks before the send of the acquire that was answered
   * @param remainingMillis what the answer said is left
   */
  public LeaseStep granted(ClockReading sent, long remainingMillis, ClockReading now) {
    long deadlineNanos = deadline(sent, remainingMillis);
    if (!now.isBefore(deadlineNanos)) {
      return LeaseStep.of(new Lost(Loss.DEADLINE_PASSED), new Stop());
    }
    if (movedApart(now, sent)) {
      return LeaseStep.of(
          new Suspect(deadlineNanos, sent, now, Doubt.CLOCKS_DISAGREE),
          new LookAt(deadlineNanos),
          new RenewAfter(0));
    }
    return LeaseStep.of(
        new Leading(deadlineNanos, sent, now),
        new LookAt(deadlineNanos),
        new RenewAfter(ttlMillis / RENEWALS_PER_TTL));
  }

  /** The one transition. {@code now} is read after the event has happened. */
  public LeaseStep step(LeaseState state, LeaseEvent event, ClockReading now) {
    return state.fold(
        leading ->
            step(
                new Held(leading, leading.deadlineNanos(), leading.confirmedBy(), null),
                event,
                leading.lastSeen(),
                now),
        suspect ->
            step(
                new Held(suspect, suspect.deadlineNanos(), suspect.confirmedBy(), suspect.doubt()),
                event,
                suspect.lastSeen(),
                now),
        LeaseStep::of);
  }

  /** What LEADING and SUSPECT have in common. */
  private record Held(
      LeaseState state, long deadlineNanos, ClockReading confirmedBy, @Nullable Doubt doubt) {}

  private LeaseStep step(Held held, LeaseEvent event, ClockReading lastSeen, ClockReading now) {
    if (event instanceof LeaseEvent.Released) {
      return lose(held, Loss.RELEASED);
    }
    if (!now.isBefore(held.deadlineNanos())) {
      return lose(held, Loss.DEADLINE_PASSED);
    }
    boolean movedApart = movedApart(now, lastSeen);
    return event.fold(
        new LeaseEvent.Cases<>(
            looked -> movedApart ? doubt(held, Doubt.CLOCKS_DISAGREE, now, 0) : look(held, now),
            confirmed -> confirm(held, confirmed, movedApart, now),
            uncertain -> doubt(held, Doubt.RENEWAL_UNCERTAIN, now, retryMillis()),
            refused -> lose(held, Loss.NOT_OWNER),
            released -> lose(held, Loss.RELEASED)));
  }

  private static LeaseStep look(Held held, ClockReading now) {
    Doubt doubt = held.doubt();
    return LeaseStep.of(
        doubt == null
            ? new Leading(held.deadlineNanos(), held.confirmedBy(), now)
            : new Suspect(held.deadlineNanos(), held.confirmedBy(), now, doubt));
  }

  private LeaseStep confirm(
      Held held, RenewalConfirmed confirmed, boolean movedApart, ClockReading now) {
    if (movedApart || movedApart(now, confirmed.sent())) {
      return doubt(held, Doubt.CLOCKS_DISAGREE, now, 0);
    }
    boolean older = confirmed.sent().monotonicNanos() - held.confirmedBy().monotonicNanos() < 0;
    if (older) {
      return look(held, now);
    }
    long deadlineNanos = deadline(confirmed.sent(), confirmed.remainingMillis());
    if (!now.isBefore(deadlineNanos)) {
      return lose(held, Loss.DEADLINE_PASSED);
    }
    Leading next = new Leading(deadlineNanos, confirmed.sent(), now);
    LookAt look = new LookAt(deadlineNanos);
    RenewAfter renew = new RenewAfter(ttlMillis / RENEWALS_PER_TTL);
    return held.doubt() == null
        ? LeaseStep.of(next, look, renew)
        : LeaseStep.of(next, new Announce(held.state(), next), look, renew);
  }

  private static LeaseStep doubt(Held held, Doubt doubt, ClockReading now, long renewAfterMillis) {
    Suspect next = new Suspect(held.deadlineNanos(), held.confirmedBy(), now, doubt);
    RenewAfter renew = new RenewAfter(renewAfterMillis);
    return held.doubt() == null
        ? LeaseStep.of(next, new Announce(held.state(), next), renew)
        : LeaseStep.of(next, renew);
  }

  private static LeaseStep lose(Held held, Loss loss) {
    Lost next = new Lost(loss);
    return LeaseStep.of(next, new Announce(held.state(), next), new Stop());
  }

  private boolean movedApart(ClockReading now, ClockReading earlier) {
    return now.disagreementMillis(earlier) > marginMillis;
  }

  private long retryMillis() {
    return Math.max(MIN_RETRY_MILLIS, ttlMillis / RETRIES_PER_TTL);
  }

  private long deadline(ClockReading sent, long remainingMillis) {
    return sent.monotonicNanos() + (remainingMillis - marginMillis) * NANOS_PER_MILLI;
  }
}
