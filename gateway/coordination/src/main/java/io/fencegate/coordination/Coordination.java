/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination;

import io.fencegate.coordination.agreement.PolicyRegister;
import io.fencegate.coordination.cluster.GatewayKeys;
import io.fencegate.coordination.commit.CommitBatcher;
import io.fencegate.coordination.commit.GatewaySession;
import io.fencegate.coordination.epoch.Confirmations;
import io.fencegate.coordination.epoch.EpochKeeping;
import io.fencegate.coordination.epoch.EpochLedger;
import io.fencegate.coordination.epoch.ForeignEpochs;
import io.fencegate.coordination.freeze.Drains;
import io.fencegate.coordination.freeze.FreezeBoard;
import io.fencegate.coordination.freeze.FreezeOrders;
import io.fencegate.coordination.health.CoordinatorHealth;
import io.fencegate.coordination.idempotency.IdempotencyLedger;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.LeaseBuckets;
import io.fencegate.coordination.lock.LockChanges;
import io.fencegate.coordination.lock.LockService;
import io.fencegate.coordination.operator.ClusterAdmin;
import io.fencegate.coordination.operator.EpochReset;
import io.fencegate.coordination.operator.LockBreaker;
import io.fencegate.coordination.operator.PolicySwitch;
import io.fencegate.coordination.operator.ResourceDirectory;
import io.fencegate.coordination.slot.Custody;
import io.fencegate.coordination.slot.SlotOwnership;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.time.Clocks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * One gateway's use of a coordinator: opens the session, keeps it by a heartbeat, and holds the
 * services that work through it. All of it runs on the context that {@link #start} was called on.
 */
public final class Coordination {

  private static final int SESSION_ID_BYTES = 16;

  /** A session lives for seconds, so there are no more of processes that were killed. */
  private static final int MAX_PREDECESSORS = 50;

  private final Vertx vertx;
  private final GatewaySession session;
  private final CommitBatcher commits;
  private final LockService locks;
  private final EpochLedger epochs;
  private final LockChanges changes;
  private final CoordinatorHistory history;
  private final LockBreaker breaker;
  private final ClusterAdmin cluster;
  private final ResourceDirectory directory;
  private final ForeignEpochs foreignEpochs;
  private final EpochReset epochReset;
  private final IdempotencyLedger idempotency;
  private final CoordinatorHealth health;
  private final GatewayKeys gatewayKeys;
  private final SlotOwnership slots;
  private final Custody custody;
  private final PolicyRegister policies;
  private final Drains drains;
  private final FreezeBoard freezes;
  private final FreezeOrders freezeOrders;
  private final PolicySwitch policySwitch;
  private final EpochKeeping epochKeeping;
  private long heartbeat;

  /**
   * What a gateway brings along.
   *
   * @param address {@code host:port} by which other gateways reach it
   * @param secureRandom gives that many bytes from a secure random source
   * @param barrier of the writes that this gateway carries out
   * @param takeoverDelay at least the longest time that one write may be under way
   * @param epochs where epochs are kept besides the coordinator
   */
  public record Setup(
      Vertx vertx,
      CoordinationStore store,
      String prefix,
      Clocks clocks,
      String address,
      IntFunction<byte[]> secureRandom,
      DrainBarrier barrier,
      Supplier<Duration> takeoverDelay,
      EpochKeeping epochs) {

    /** The coordinator alone keeps the epochs, and nobody is asked whether all agree on that. */
    public Setup(
        Vertx vertx,
        CoordinationStore store,
        String prefix,
        Clocks clocks,
        String address,
        IntFunction<byte[]> secureRandom,
        DrainBarrier barrier,
        Supplier<Duration> takeoverDelay) {
      this(
          vertx,
          store,
          prefix,
          clocks,
          address,
          secureRandom,
          barrier,
          takeoverDelay,
          EpochKeeping.alone());
    }
  }

  private Coordination(Setup setup, CoordinatorHistory history, Runnable onDoubtfulPast) {
    this.vertx = setup.vertx();
    this.history = history;
    history.onLoss(() -> historyLost(onDoubtfulPast));
    Keyspace keys = new Keyspace(setup.prefix());
    LeaseBuckets buckets = new LeaseBuckets(setup.store(), setup.clocks());
    this.session =
        new GatewaySession(
            new GatewaySession.Setup(
                setup.store(),
                keys,
                buckets,
                setup.clocks(),
                setup.address(),
                () -> sessionId(setup.secureRandom()),
                () -> doubt(onDoubtfulPast),
                history));
    this.commits =
        new CommitBatcher(vertx, setup.store(), session, buckets, history, setup.clocks());
    this.changes = new LockChanges(vertx, setup.store(), keys);
    this.locks =
        new LockService(
            new LockService.Parts(
                vertx,
                setup.store(),
                keys,
                commits,
                buckets,
                setup.clocks(),
                setup.secureRandom(),
                changes));
    this.epochKeeping = setup.epochs();
    this.breaker = new LockBreaker(keys, commits, epochKeeping);
    this.cluster = new ClusterAdmin(setup.store(), keys, session, history);
    this.foreignEpochs =
        new ForeignEpochs(setup.store(), keys, commits, setup.clocks(), epochKeeping);
    this.epochReset = new EpochReset(keys, commits, epochKeeping);
    this.directory = new ResourceDirectory(setup.store(), keys);
    this.health = new CoordinatorHealth(vertx, setup.store(), history);
    this.gatewayKeys = new GatewayKeys(setup.store(), keys, setup.secureRandom());
    this.epochs = new EpochLedger(keys, commits, buckets, setup.clocks(), history, epochKeeping);
    this.policies = new PolicyRegister(setup.store(), keys);
    this.drains = new Drains(setup.store(), keys, session::id);
    this.freezes =
        new FreezeBoard(
            new FreezeBoard.Parts(vertx, setup.store(), keys, setup.clocks(), policies, drains));
    this.freezeOrders =
        new FreezeOrders(vertx, setup.store(), keys, setup.clocks(), setup.secureRandom(), freezes);
    this.policySwitch =
        new PolicySwitch(
            new PolicySwitch.Parts(
                vertx,
                setup.store(),
                keys,
                setup.clocks(),
                freezes,
                freezeOrders,
                policies,
                new Confirmations(setup.store(), keys, epochKeeping, setup.clocks()),
                setup.takeoverDelay()));
    this.idempotency =
        new IdempotencyLedger(
            new IdempotencyLedger.Parts(
                vertx, keys, commits, session, setup.clocks(), setup.secureRandom()));
    this.slots =
        new SlotOwnership(
            new SlotOwnership.Parts(
                vertx,
                setup.store(),
                keys,
                commits,
                session,
                setup.clocks(),
                setup.takeoverDelay()));
    this.custody =
        new Custody(
            new Custody.Parts(
                vertx, setup.store(), keys, commits, slots, setup.barrier(), setup.clocks()));
  }

  /**
   * Starts to live in the coordinator. Works without it for as long as it does not answer: then
   * nothing is granted and {@link GatewaySession#isFresh} is false.
   *
   * @param onDoubtfulPast told when everything that was confirmed has to be confirmed again
   */
  public static Coordination start(Setup setup, Runnable onDoubtfulPast) {
    return start(setup, CoordinatorHistory.unrecorded(setup.vertx()), onDoubtfulPast);
  }

  /** The same with a history that is remembered over restarts; closed with this. */
  public static Coordination start(
      Setup setup, CoordinatorHistory history, Runnable onDoubtfulPast) {
    Coordination coordination = new Coordination(setup, history, onDoubtfulPast);
    coordination.changes.open();
    coordination.health.start();
    coordination.freezes.start();
    coordination.session.refresh().otherwiseEmpty().onComplete(unused -> coordination.own());
    coordination.heartbeat =
        setup
            .vertx()
            .setPeriodic(GatewaySession.HEARTBEAT.toMillis(), unused -> coordination.beat());
    return coordination;
  }

  /**
   * Ends the sessions of earlier processes, so that what they owned need not run out. Only for a
   * caller that has the coordinator to itself.
   */
  public static Future<Void> endPredecessors(CoordinationStore store, String prefix) {
    return store
        .range(new Keyspace(prefix).gateways(), MAX_PREDECESSORS)
        .compose(
            page -> {
              List<Op> deletes =
                  page.entries().stream().<Op>map(it -> new Op.Delete(it.key())).toList();
              return deletes.isEmpty()
                  ? Future.succeededFuture()
                  : store.commitAlone(new Member(List.of(), deletes, List.of())).mapEmpty();
            });
  }

  private void own() {
    slots.start();
    custody.start();
  }

  /** The coordinator may have gone back as well, and then its watches wait for the future. */
  private void doubt(Runnable onDoubtfulPast) {
    changes.reopen();
    gatewayKeys.forget();
    epochKeeping.forgetOthers();
    if (!slots.self().equals(session.id())) {
      slots.sessionLost();
    }
    onDoubtfulPast.run();
  }

  private void historyLost(Runnable onDoubtfulPast) {
    locks.historyLost();
    doubt(onDoubtfulPast);
    // The heartbeat tells the other gateways.
    beat();
  }

  /** A failed heartbeat shows as a session that is not fresh; the next one is a second away. */
  private void beat() {
    session.refresh().otherwiseEmpty();
  }

  public GatewaySession session() {
    return session;
  }

  public CommitBatcher commits() {
    return commits;
  }

  public LockService locks() {
    return locks;
  }

  /** Whether the coordinator still has all of its history. */
  public CoordinatorHistory history() {
    return history;
  }

  public LockBreaker breaker() {
    return breaker;
  }

  public ClusterAdmin cluster() {
    return cluster;
  }

  public ResourceDirectory directory() {
    return directory;
  }

  public CoordinatorHealth health() {
    return health;
  }

  /** By which gateways recognise each other. */
  public GatewayKeys gatewayKeys() {
    return gatewayKeys;
  }

  /** Where epochs are kept besides the coordinator, and whether all gateways agree on it. */
  public EpochKeeping epochKeeping() {
    return epochKeeping;
  }

  public EpochLedger epochs() {
    return epochs;
  }

  public ForeignEpochs foreignEpochs() {
    return foreignEpochs;
  }

  public EpochReset epochReset() {
    return epochReset;
  }

  /** The records of keyed writes whose downstream keeps none. */
  public IdempotencyLedger idempotency() {
    return idempotency;
  }

  public LockChanges changes() {
    return changes;
  }

  /** Which gateway carries out the writes of which resources. */
  public SlotOwnership slots() {
    return slots;
  }

  public Custody custody() {
    return custody;
  }

  /** Which writes operators have stopped. */
  public FreezeBoard freezes() {
    return freezes;
  }

  /** Puts and lifts freezes. */
  public FreezeOrders freezeOrders() {
    return freezeOrders;
  }

  /** Tells other gateways what has ended here. */
  public Drains drains() {
    return drains;
  }

  /** The policies that all gateways share. */
  public PolicyRegister policies() {
    return policies;
  }

  /** Puts policies in force in another form. */
  public PolicySwitch policySwitch() {
    return policySwitch;
  }

  /** Ends the session; locks that were granted live on. The store stays open. */
  public Future<Void> close() {
    vertx.cancelTimer(heartbeat);
    slots.stop();
    custody.stop();
    policySwitch.stop();
    freezes.stop();
    changes.close();
    health.close();
    return session.close().transform(unused -> history.close()).otherwiseEmpty();
  }

  private static String sessionId(IntFunction<byte[]> secureRandom) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(secureRandom.apply(SESSION_ID_BYTES));
  }
}
