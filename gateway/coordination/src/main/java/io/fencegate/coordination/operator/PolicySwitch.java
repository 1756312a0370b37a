/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.operator;

import io.fencegate.coordination.agreement.PolicyRegister;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.epoch.Confirmations;
import io.fencegate.coordination.freeze.FreezeBoard;
import io.fencegate.coordination.freeze.FreezeOrders;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.key.PolicyRecord;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.MemberResult;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.agreement.Recorded;
import io.fencegate.policy.freeze.Freeze;
import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.ClockReading;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

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

  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  /** Who has not drained by then hangs, and an operator has to look after it. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Every readable record of a freeze starts with it. */
  private static final Value THERE = Value.of("1");

  private static final int HASH_CHARS = 12;

  private static final long NANOS_PER_MILLI = 1_000_000L;

  private final Parts parts;
  private final Map<PolicyName, Progress> runs = new HashMap<>();
  private boolean stopped;

  /**
   * What a switch works with.
   *
   * @param longestForward how long a write may be under way at most, under old forms and new ones
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
      Supplier<Duration> longestForward) {}

  public PolicySwitch(Parts parts) {
    this.parts = parts;
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
      String reason) {}

  /** What a switch is about, fixed when it begins. */
  private record Order(
      PolicyName policy, Recorded former, Recorded wanted, long revision, List<String> freezes) {
    /** The resources whose writes go to another downstream from now on; empty where none do. */
    List<ResourcePattern> movesTo() {
      return former.goesWhere(wanted)
          ? List.of()
          : Stream.of(former, wanted).flatMap(it -> it.match().stream()).toList();
    }

    boolean wants(Value record) {
      return PolicyRecord.decode(policy, record).equals(wanted);
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
    return parts
        .board()
        .readAnew()
        .compose(unused -> parts.store().commitAlone(look(parts.keys().policy(policy))))
        .compose(found -> begin(policy, mine, reason, found.entry(0)))
        .recover(failure -> Future.succeededFuture(Ruling.refused(unavailable(failure))));
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
      return Future.succeededFuture(Ruling.granted(ended(policy, State.SWITCHED, "")));
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
                ruling.map(freezes -> start(new Order(policy, former, wanted, revision, freezes))));
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
    return "switch-" + HexFormat.of().formatHex(hash).substring(0, HASH_CHARS) + "-";
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

  // ---- under way

  /** Time counts from here on, when the freeze is there for certain. */
  private Progress start(Order order) {
    ClockReading now = parts.clocks().read();
    Duration quiet = GatewaySession.MAX_STALENESS.plus(parts.longestForward().get());
    long quietAtNanos = now.monotonicNanos() + quiet.toNanos();
    Progress begun =
        new Progress(
            order.policy(),
            State.DRAINING,
            order.freezes(),
            List.of(),
            now.millisUntil(quietAtNanos),
            "");
    runs.put(order.policy(), begun);
    wait(order, quietAtNanos, now.monotonicNanos() + PATIENCE.toNanos());
    return begun;
  }

  private void wait(Order order, long quietAtNanos, long lastNanos) {
    if (stopped) {
      return;
    }
    Future.join(parts.store().commitAlone(lookAt(order)), undrained(order))
        .onComplete(
            looked -> {
              if (looked.failed()) {
                waitOn(order, List.of("the coordinator"), quietAtNanos, lastNanos);
                return;
              }
              MemberResult found = looked.result().resultAt(0);
              List<String> left = looked.result().resultAt(1);
              boolean frozen =
                  found.results().stream().skip(1).allMatch(it -> it.entry().isPresent());
              if (!frozen) {
                lifted(order, found.entry(0));
              } else if (left.isEmpty() && !parts.clocks().read().isBefore(quietAtNanos)) {
                forgetThenReplace(order);
              } else {
                waitOn(order, left, quietAtNanos, lastNanos);
              }
            });
  }

  private Member lookAt(Order order) {
    List<Op> gets = new ArrayList<>(List.of(new Op.Get(parts.keys().policy(order.policy()))));
    order.freezes().forEach(it -> gets.add(new Op.Get(parts.keys().freeze(it))));
    return new Member(List.of(), gets, List.of());
  }

  private Future<List<String>> undrained(Order order) {
    List<Future<List<String>>> all =
        order.freezes().stream().map(parts.orders()::undrained).toList();
    return Future.join(all)
        .map(
            unused ->
                all.stream().flatMap(it -> it.result().stream()).distinct().sorted().toList());
  }

  /** By another gateway that went on with this switch, or by an operator. */
  private void lifted(Order order, Optional<Entry> record) {
    if (record.filter(it -> order.wants(it.value())).isPresent()) {
      switched(order);
    } else {
      liftThenFail(order, "a freeze of it was lifted by somebody: begin again");
    }
  }

  private void waitOn(Order order, List<String> left, long quietAtNanos, long lastNanos) {
    ClockReading now = parts.clocks().read();
    if (!now.isBefore(lastNanos)) {
      giveUp(order, left);
      return;
    }
    tell(order, left, now, quietAtNanos);
    parts
        .vertx()
        .timer(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)
        .onComplete(unused -> wait(order, quietAtNanos, lastNanos));
  }

  private void tell(Order order, List<String> left, ClockReading now, long quietAtNanos) {
    runs.put(
        order.policy(),
        new Progress(
            order.policy(),
            State.DRAINING,
            order.freezes(),
            left,
            Math.max(1, (quietAtNanos - now.monotonicNanos()) / NANOS_PER_MILLI),
            ""));
  }

  private void giveUp(Order order, List<String> left) {
    liftThenFail(
        order,
        "not drained after " + PATIENCE.toMinutes() + " minutes: " + String.join(", ", left));
  }

  /** Nothing has changed, so the old form goes on. */
  private void liftThenFail(Order order, String why) {
    Future.join(order.freezes().stream().map(parts.orders()::lift).toList())
        .onComplete(unused -> fail(order, why));
  }

  private void fail(Order order, String why) {
    runs.put(order.policy(), ended(order.policy(), State.FAILED, why));
  }

  private static Progress ended(PolicyName policy, State state, String reason) {
    return new Progress(policy, state, List.of(), List.of(), 0, reason);
  }

  /** What the former downstream has accepted says nothing about another one. */
  private void forgetThenReplace(Order order) {
    (order.movesTo().isEmpty()
            ? Future.<Void>succeededFuture()
            : parts
                .confirmations()
                .forget(
                    resource ->
                        order.movesTo().stream().anyMatch(it -> it.match(resource).isPresent())))
        .onSuccess(unused -> replace(order))
        .onFailure(failure -> liftThenFail(order, String.valueOf(failure.getMessage())));
  }

  private void replace(Order order) {
    Key policy = parts.keys().policy(order.policy());
    List<Compare> compares = new ArrayList<>();
    List<Op> then = new ArrayList<>();
    compares.add(new Compare.ModifiedAt(policy, order.revision()));
    then.add(new Op.Put(policy, PolicyRecord.encode(order.wanted()), LeaseHandle.NONE));
    for (String id : order.freezes()) {
      compares.add(new Compare.ValuePrefix(parts.keys().freeze(id), THERE));
      then.add(new Op.Delete(parts.keys().freeze(id)));
    }
    Member replacing = new Member(compares, then, List.of());
    parts
        .store()
        .commitAlone(replacing)
        .onFailure(inDoubt -> fail(order, "in doubt (" + inDoubt.getMessage() + "): begin again"))
        .onSuccess(
            result -> {
              if (result.held()) {
                switched(order);
              } else {
                liftThenFail(order, "the policy or a freeze was changed meanwhile: begin again");
              }
            });
  }

  private void switched(Order order) {
    parts
        .board()
        .readAnew()
        .otherwiseEmpty()
        .compose(
            unused -> Future.join(order.freezes().stream().map(parts.orders()::forget).toList()))
        .onComplete(unused -> runs.put(order.policy(), ended(order.policy(), State.SWITCHED, "")));
  }
}
