/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import io.gatling.javaapi.core.Session;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the simulation knows of the locks, and what it checks of every answer. Thread-safe.
 *
 * <p>A lease counts as lost when its gateway says so before the time has passed that it last
 * promised, when its token changed, or when its release found nothing within that time. (One whose
 * renewals failed for so long that it ran out is an error of those renewals.) A token counts as
 * wrong when it is not above the resource's last one.
 */
final class LoadState {

  private static final Pattern REMAINING = Pattern.compile("\"remainingMs\":([0-9]+)");
  private static final Pattern CODE = Pattern.compile("\"code\":\"([a-z-]+)\"");

  /**
   * A lock that is held all the time.
   *
   * @param untilMillis since the start; until then the last confirmation promised it
   */
  private record Lease(String id, String token, long untilMillis) {}

  private final LoadPlan plan;
  private final Tally tally = new Tally();
  private final AtomicLong startNanos = new AtomicLong();
  private final AtomicInteger fills = new AtomicInteger();
  private final AtomicInteger renewals = new AtomicInteger();
  private final AtomicLong cycles = new AtomicLong();
  private final AtomicReferenceArray<Lease> held;
  private final AtomicLongArray lastTokens;

  LoadState(LoadPlan plan) {
    this.plan = plan;
    this.held = new AtomicReferenceArray<>(plan.held());
    this.lastTokens = new AtomicLongArray(plan.resources());
  }

  Tally tally() {
    return tally;
  }

  void started() {
    startNanos.compareAndSet(0, System.nanoTime());
  }

  /** Since the first call; before it 0. */
  long elapsedMillis() {
    long start = startNanos.get();
    return start == 0 ? 0 : Math.max(1, (System.nanoTime() - start) / 1_000_000);
  }

  Phase phase(long agoMillis) {
    return plan.phaseAt(elapsedMillis() - agoMillis);
  }

  /** A virtual user who takes the next of the locks that are held all the time. */
  Session fill(Session session) {
    int resource = fills.getAndIncrement() % plan.held();
    return acquiring(session, resource, plan.runId() + "-f" + resource);
  }

  /** A virtual user who takes the next of all other locks. */
  Session cycle(Session session) {
    long number = cycles.getAndIncrement();
    int resource = plan.held() + (int) (number % (plan.resources() - plan.held()));
    return acquiring(session, resource, plan.runId() + "-c" + number);
  }

  private Session acquiring(Session session, int resource, String requestId) {
    return session.setAll(
        Map.of(
            "index",
            resource,
            "phase",
            phase(0).wireName(),
            "payload",
            "{\"resource\":\""
                + name(resource)
                + "\",\"requestId\":\""
                + requestId
                + "\",\"leaseTtlMs\":"
                + LoadPlan.TTL_MILLIS
                + ",\"holder\":\"worker-"
                + resource % 1_000
                + "\"}"));
  }

  /** A virtual user who renews the lock whose turn it is; without one where none is held. */
  Session renew(Session session) {
    for (int i = 0; i < plan.held(); i++) {
      int index = Math.floorMod(renewals.getAndIncrement(), plan.held());
      Lease lease = held.get(index);
      if (lease != null) {
        return session.setAll(
            Map.of(
                "index",
                index,
                "token",
                lease.token(),
                "phase",
                phase(0).wireName(),
                "payload",
                owner(index, lease.id())));
      }
    }
    return session;
  }

  /** The virtual user's own lock is to be released. */
  Session release(Session session) {
    return session.setAll(
        Map.of(
            "phase",
            phase(0).wireName(),
            "payload",
            owner(session.getInt("index"), String.valueOf(session.getString("lease")))));
  }

  private String owner(int resource, String leaseId) {
    return "{\"resource\":\"" + name(resource) + "\",\"leaseId\":\"" + leaseId + "\"}";
  }

  /** Of this run alone: an earlier one on the same gateway may have left its locks held. */
  private String name(int resource) {
    return "load/" + plan.runId() + "-" + resource;
  }

  Session acquired(Session session) {
    if (failed(session, LockOp.ACQUIRE)) {
      return forget(session);
    }
    String body = String.valueOf(session.getString("body"));
    String token = field(body, "fencingToken");
    int resource = session.getInt("index");
    long value = Long.parseLong(token);
    if (lastTokens.getAndSet(resource, value) >= value) {
      tally.lost("token-not-above-the-last");
    }
    String lease = field(body, "leaseId");
    long untilMillis = promisedUntil(session);
    if (resource < plan.held()) {
      held.set(resource, new Lease(lease, token, untilMillis));
    }
    return forget(session).set("lease", lease).set("until", untilMillis);
  }

  Session renewed(Session session) {
    if (failed(session, LockOp.RENEW)) {
      return forget(session);
    }
    String token = field(String.valueOf(session.getString("body")), "fencingToken");
    if (!token.equals(session.getString("token"))) {
      tally.lost("token-changed");
    }
    // Answers may overtake each other; what was promised once holds.
    held.updateAndGet(
        session.getInt("index"),
        lease ->
            lease == null
                ? null
                : new Lease(
                    lease.id(),
                    lease.token(),
                    Math.max(lease.untilMillis(), promisedUntil(session))));
    return forget(session);
  }

  Session released(Session session) {
    if (!failed(session, LockOp.RELEASE)
        && !String.valueOf(session.getString("body")).contains("\"released\":true")
        && elapsedMillis() < session.getLong("until")) {
      tally.lost("nothing-to-release");
    }
    return forget(session);
  }

  private boolean failed(Session session, LockOp op) {
    if (!session.contains("status")) {
      tally.failed(phase(0), op, 0, "no-answer");
      return true;
    }
    long millis = session.getInt("ms");
    if (session.getInt("status") == 200) {
      tally.ok(phase(millis), op, millis);
      return false;
    }
    Matcher code = CODE.matcher(String.valueOf(session.getString("body")));
    String said = code.find() ? code.group(1) : "status-" + session.getInt("status");
    tally.failed(phase(millis), op, millis, said);
    if (said.equals("lease-lost")) {
      Lease lease = held.getAndSet(session.getInt("index"), null);
      if (lease != null && elapsedMillis() < lease.untilMillis()) {
        tally.lost(op.wireName() + "-said-lease-lost");
      }
    }
    return true;
  }

  /** A promise counts from before its call was sent. */
  private long promisedUntil(Session session) {
    Matcher remaining = REMAINING.matcher(String.valueOf(session.getString("body")));
    return remaining.find()
        ? elapsedMillis() - session.getInt("ms") + Long.parseLong(remaining.group(1))
        : 0;
  }

  private static Session forget(Session session) {
    return session.removeAll("status", "body", "ms");
  }

  /** The value of a text field in flat JSON; made for speed. */
  static String field(String json, String name) {
    String before = "\"" + name + "\":\"";
    int from = json.indexOf(before);
    int to = from < 0 ? -1 : json.indexOf('"', from + before.length());
    if (to < 0) {
      throw new IllegalStateException("no " + name + " in an answer");
    }
    return json.substring(from + before.length(), to);
  }
}
