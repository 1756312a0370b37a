/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.agreement.PolicyRegister;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.epoch.Confirmations;
import io.fencegate.coordination.freeze.FreezeBoard;
import io.fencegate.coordination.freeze.FreezeOrders;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.PolicyRecord;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.agreement.Recorded;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.Sha256;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Puts a policy in force in the form that this gateway has it, or out of force where it has none.
 *
 * <p>It is frozen first, with whatever else says something about its resources. Then all gateways
 * have to have told that nothing is under way any more under the old form, and so much time has to
 * have passed that nothing can be of one that ended without telling: what a gateway knows counts
 * for {@link GatewaySession#MAX_STALENESS}, and a write is under way for so long at most. Then one
 * transaction replaces the record and lifts the freeze: who no longer sees the freeze sees the
 * record. A switch whose gateway ends leaves the freeze, and the next one goes on with it.
 *
 * <p>Used from one context.
 */
public final class PolicySwitch {

  private static final String ID_START = "switch-";

  private static final int HASH_CHARS = 12;

  private final Parts parts;
  private final Map<PolicyName, Progress> runs = new HashMap<>();
  private final Map<PolicyName, Future<Ruling<Progress>>> beginning = new HashMap<>();
  private Supplier<Duration> longestWrite;
  private boolean stopped;

  /**
   * What a switch works with.
   *
   * @param longestWrite how long a write may be under way at most, until {@link #waitFor} says more
   */
  public record Parts(
      Vertx vertx,
      CoordinationStore store,
      Keyspace keys,
      Clocks clocks,
      FreezeBoard board,
      FreezeOrders orders,
      PolicyRegister register,
      Confirmations confirmations,
      Supplier<Duration> longestWrite) {}

  public PolicySwitch(Parts parts) {
    this.parts = parts;
    this.longestWrite = parts.longestWrite();
  }

  /** How long a write may be under way at most, under old forms and new ones. */
  public void waitFor(Supplier<Duration> longest) {
    longestWrite = longest;
  }

  boolean isStopped() {
    return stopped;
  }

  /** The process ends; what was begun is left as it is. */
  public void stop() {
    stopped = true;
  }

  /** How far a switch is. */
  public enum State {
    /** Writes are frozen, and those under way are waited for. */
    DRAINING,
    /** The policy is in force as this gateway has it. */
    SWITCHED,
    /** It is not, and nothing has changed. */
    FAILED
  }

  /**
   * A switch.
   *
   * @param freezes that stop writes meanwhile: the policy's, and those of others that are meant for
   *     some of the same resources
   * @param waitingFor gateways that have not drained yet, by address
   * @param remainingMillis at least so long it takes yet
   * @param reason why it failed; empty where it has not
   */
  public record Progress(
      PolicyName policy,
      State state,
      List<String> freezes,
      List<String> waitingFor,
      long remainingMillis,
      String reason) {
    static Progress ended(PolicyName policy, State state, String reason) {
      return new Progress(policy, state, List.of(), List.of(), 0, reason);
    }
  }

  /** The newest switch of a policy by this process; empty where there was none. */
  public Optional<Progress> progress(PolicyName policy) {
    return Optional.ofNullable(runs.get(policy));
  }

  /**
   * Begins a switch, or joins the one that goes on. Granted: it has begun, see {@link #progress},
   * or there is nothing to do.
   *
   * @param mine the form that this gateway has; empty: the policy is put out of force
   */
  public Future<Ruling<Progress>> begin(
      PolicyName policy, Optional<PolicyTerms> mine, String reason) {
    Optional<Progress> underWay =
        progress(policy).filter(progress -> progress.state() == State.DRAINING);
    if (underWay.isPresent()) {
      return Future.succeededFuture(Ruling.granted(underWay.get()));
    }
    Future<Ruling<Progress>> joined = beginning.get(policy);
    if (joined != null) {
      return joined;
    }
    Future<Ruling<Progress>> begun =
        parts
            .board()
            .readAnew()
            .compose(unused -> parts.store().commitAlone(look(parts.keys().policy(policy))))
            .compose(found -> begin(policy, mine, reason, found.entry(0)))
            .otherwise(failure -> Ruling.refused(unavailable(failure)));
    beginning.put(policy, begun);
    return begun.onComplete(unused -> beginning.remove(policy));
  }

  /**
   * Why what concerns a policy's downstreams and is no write may not be done: gateways do not agree
   * on it, or it is being switched.
   */
  public Optional<Refusal> objection(PolicyTerms terms) {
    return parts
        .register()
        .objection(terms)
        .or(
            () ->
                parts.board().last().all().stream()
                    .filter(it -> it.id().startsWith(ID_START))
                    .filter(it -> it.scope().equals(new FreezeScope.OfPolicy(terms.name())))
                    .findFirst()
                    .map(
                        it ->
                            RefusalCode.HANDOVER.because(
                                "policy " + terms.name() + " is being switched: wait")));
  }

  private static Member look(Key key) {
    return new Member(List.of(), List.of(new Op.Get(key)), List.of());
  }

  private static Refusal unavailable(Throwable failure) {
    return RefusalCode.COORDINATOR_UNAVAILABLE.because(String.valueOf(failure.getMessage()));
  }

  private Future<Ruling<Progress>> begin(
      PolicyName policy, Optional<PolicyTerms> mine, String reason, Optional<Entry> record) {
    Recorded wanted = mine.<Recorded>map(Recorded.InForce::new).orElseGet(Recorded.Withdrawn::new);
    List<Freeze> left = leftBehind(policy);
    boolean done =
        record.filter(it -> PolicyRecord.decode(policy, it.value()).equals(wanted)).isPresent();
    if (done && left.isEmpty()) {
      return Future.succeededFuture(Ruling.granted(Progress.ended(policy, State.SWITCHED, "")));
    }
    if (record.isEmpty() && mine.isEmpty()) {
      return Future.succeededFuture(
          Ruling.refused(
              RefusalCode.NOT_FOUND.because("no gateway has, or had, a policy " + policy)));
    }
    Optional<PolicyName> obstacle = mine.flatMap(parts.register()::obstacle);
    if (obstacle.isPresent()) {
      return Future.succeededFuture(Ruling.refused(switchFirst(policy, obstacle.get())));
    }
    long revision = record.map(Entry::modRevision).orElse(0L);
    Recorded former =
        record
            .map(it -> PolicyRecord.decode(policy, it.value()))
            .orElseGet(Recorded.Withdrawn::new);
    List<PolicyName> meant = new ArrayList<>(List.of(policy));
    mine.map(parts.register()::contradicting).ifPresent(meant::addAll);
    return frozen(policy, meant, left, reason)
        .map(
            ruling ->
                ruling.map(
                    freezes -> start(new SwitchOrder(policy, former, wanted, revision, freezes))));
  }

  private static Refusal switchFirst(PolicyName policy, PolicyName obstacle) {
    return RefusalCode.INVALID_REQUEST.because(
        "policy "
            + obstacle
            + ", as the gateways share it, has to do with the same resources as policy "
            + policy
            + " and says something else about them: switch policy "
            + obstacle
            + " first");
  }

  /** The name itself may have characters that ids do not. */
  private static String idStart(PolicyName policy) {
    byte[] hash = Sha256.of(policy.value().getBytes(StandardCharsets.UTF_8));
    return ID_START + HexFormat.of().formatHex(hash).substring(0, HASH_CHARS) + "-";
  }

  /** The freezes of a switch that did not come to its end. */
  private List<Freeze> leftBehind(PolicyName policy) {
    return parts.board().last().all().stream()
        .filter(it -> it.id().startsWith(idStart(policy)))
        .toList();
  }

  /** Freezes what is not frozen for this switch yet; answers the ids of all of its freezes. */
  private Future<Ruling<List<String>>> frozen(
      PolicyName policy, List<PolicyName> meant, List<Freeze> left, String reason) {
    List<String> ids = new ArrayList<>(left.stream().map(Freeze::id).toList());
    Future<Ruling<List<String>>> all = Future.succeededFuture(Ruling.granted(ids));
    for (PolicyName each : meant) {
      FreezeScope scope = new FreezeScope.OfPolicy(each);
      if (left.stream().noneMatch(it -> it.scope().equals(scope))) {
        all =
            all.compose(
                before ->
                    before
                        .fold(
                            unused -> freeze(policy, scope, reason).map(it -> it.map(ids::add)),
                            refusal -> Future.succeededFuture(Ruling.<Boolean>refused(refusal)))
                        .map(ruling -> ruling.map(unused -> ids)));
      }
    }
    return all;
  }

  private Future<Ruling<String>> freeze(PolicyName policy, FreezeScope scope, String reason) {
    return parts
        .orders()
        .freeze(
            parts.orders().newId(idStart(policy)),
            scope,
            "policy " + policy + " is being switched: " + reason)
        .map(ruling -> ruling.map(Freeze::id));
  }

  private Progress start(SwitchOrder order) {
    Duration quiet = GatewaySession.MAX_STALENESS.plus(longestWrite.get());
    return new SwitchRun(parts, order, this::isStopped, it -> runs.put(order.policy(), it))
        .start(quiet);
  }
}
