/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.coordination.Coordination;
import io.fencegate.coordination.epoch.EpochKeeping;
import io.fencegate.coordination.epoch.EpochStore;
import io.fencegate.coordination.epoch.EpochTerms;
import io.fencegate.coordination.lock.LockChanges;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.witness.CoordinatorHistory;
import io.fencegate.ledger.postgres.PostgresEpochs;
import io.fencegate.policy.fence.DrainBarrier;
import io.fencegate.policy.fence.ShadowFence;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.time.ClockReading;
import io.fencegate.policy.time.Clocks;
import io.fencegate.server.clock.InTime;
import io.fencegate.server.config.EpochsConfig;
import io.fencegate.server.config.Listener;
import io.fencegate.server.config.ServerConfig;
import io.fencegate.server.http.OutcomeHttp;
import io.fencegate.server.http.RequestGate;
import io.fencegate.server.http.WorkerApi;
import io.fencegate.server.observe.AuditLog;
import io.fencegate.server.observe.CommitMetrics;
import io.fencegate.server.observe.GatewayMetrics;
import io.fencegate.server.observe.HotResources;
import io.fencegate.server.observe.LockMetrics;
import io.fencegate.server.observe.Observations;
import io.fencegate.server.observe.OperatorAudit;
import io.fencegate.server.observe.OperatorObserver;
import io.fencegate.server.operator.OperatorApi;
import io.fencegate.server.operator.Readiness;
import io.fencegate.server.policy.ActivePolicies;
import io.fencegate.server.policy.AdapterFactories;
import io.fencegate.server.policy.PolicyFolder;
import io.fencegate.server.policy.PolicyLibrary;
import io.fencegate.server.policy.SystemValues;
import io.fencegate.server.relay.OwnerCalls;
import io.fencegate.server.relay.Owners;
import io.fencegate.server.relay.Relay;
import io.fencegate.server.write.AdapterProbe;
import io.fencegate.server.write.WriteService;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One gateway: its session with the coordinator, its barrier, its policies and its two ports. A
 * verticle, so that all of it lives on one event loop and nothing needs a lock.
 */
public final class Gateway extends VerticleBase {

  /** Clocks that move apart by more than this between two looks make everything in memory void. */
  private static final Duration CLOCK_MARGIN = Duration.ofMillis(250);

  /** How often resources with nothing under way are forgotten. */
  private static final Duration FORGET_EVERY = Duration.ofSeconds(10);

  /** How often ends of locks that nobody has explained are counted. */
  private static final Duration SWEEP_EVERY = Duration.ofSeconds(1);

  /** Counts of calls per resource halve in this time, so that they say what is hot now. */
  private static final Duration FADE_EVERY = Duration.ofMinutes(1);

  /** A shutdown looks so often, and for a second at most, for a moment without new connections. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(2);

  private static final int MAX_LOOKS = 500;

  /** The longest that a shutdown waits for its resources to be handed over. */
  private static final Duration HANDOVER_BUDGET = Duration.ofSeconds(10);

  /** The longest that a shutdown waits for requests in flight: a write's budget and some grace. */
  private static final Duration DRAIN_BUDGET = Duration.ofSeconds(20);

  /**
   * The longest that a start waits for the ledger of epochs. Without it everything starts that
   * needs none of it.
   */
  private static final Duration EPOCHS_BUDGET = Duration.ofSeconds(5);

  private static final int MAX_HEADER_BYTES = 16 * 1024;
  private static final int MAX_LINE_BYTES = 8 * 1024;

  /** A connection on which nothing moves for so long is closed. */
  private static final int IDLE_SECONDS = 75;

  private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

  private final Setup setup;
  private final Function<Coordination, Owners> ownership;
  private final DrainBarrier barrier = new DrainBarrier(CLOCK_MARGIN);
  private final ShadowFence shadow = new ShadowFence(CLOCK_MARGIN);
  private final RequestGate gate = new RequestGate();
  private final HotResources hot = new HotResources();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private @Nullable AuditLog audit;
  private @Nullable Coordination coordination;
  private @Nullable EpochStore ledger;
  private @Nullable PolicyLibrary policies;
  private @Nullable Relay relay;
  private @Nullable Router workerRouter;
  private @Nullable HttpServer worker;
  private @Nullable HttpServer operator;

  /**
   * What a gateway is made of.
   *
   * @param store stays open when the gateway stops
   * @param secureRandom gives that many bytes from a secure random source
   */
  public record Setup(
      ServerConfig config,
      CoordinationStore store,
      Clocks clocks,
      IntFunction<byte[]> secureRandom) {}

  /** A port could not be opened. */
  public static final class PortUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PortUnavailable(Listener listener, Throwable cause) {
      super(
          "cannot listen on "
              + listener.host()
              + " port "
              + listener.port()
              + ": "
              + cause.getMessage(),
          cause);
    }
  }

  public Gateway(Setup setup) {
    this(setup, coordinating -> Owners.of(coordinating.slots(), coordinating.session()));
  }

  /** A gateway that is told who carries out which writes. */
  Gateway(Setup setup, Function<Coordination, Owners> ownership) {
    this.setup = setup;
    this.ownership = ownership;
  }

  @Override
  public Future<?> start() {
    return PolicyLibrary.open(
            new PolicyLibrary.Setup(
                vertx,
                new PolicyFolder(setup.config().policies()),
                AdapterFactories.installed(),
                new SystemValues(),
                new AdapterContext(vertx, setup.clocks()),
                setup
                    .config()
                    .coordinator()
                    .fold(
                        embedded ->
                            Optional.of(
                                "the coordinator is embedded, other clients of etcd are not"),
                        etcd -> Optional.empty())))
        .compose(
            library -> {
              policies = library;
              return CoordinatorHistory.open(vertx, setup.config().dataDir())
                  .compose(
                      history ->
                          listen(setup.config().worker(), gate::connected, this::serve)
                              .compose(server -> start(library, history, server)));
            })
        .recover(failure -> closeAll().transform(unused -> Future.failedFuture(failure)));
  }

  /**
   * The worker port is open before anything else is there, because its number is what other
   * gateways are told.
   */
  private void serve(HttpServerRequest request) {
    if (workerRouter == null) {
      OutcomeHttp.refuse(
          request.response(),
          RefusalCode.COORDINATOR_UNAVAILABLE.because("this gateway is about to start"),
          null);
    } else {
      workerRouter.handle(request);
    }
  }

  private Future<Void> start(
      PolicyLibrary library, CoordinatorHistory history, HttpServer workerServer) {
    worker = workerServer;
    EpochKeeping keeping = keeping(setup.config().epochs());
    return keeping
        .settleFirst(setup.clocks().read().monotonicNanos() + EPOCHS_BUDGET.toNanos())
        .recover(failure -> history.close().transform(closed -> Future.failedFuture(failure)))
        .compose(settled -> start(library, history, keeping));
  }

  private EpochKeeping keeping(EpochsConfig config) {
    Optional<EpochStore> opened =
        config.ledger().map(it -> new PostgresEpochs(vertx, setup.clocks(), it));
    ledger = opened.orElse(null);
    return new EpochKeeping(
        setup.store(),
        setup.config().coordinator().keyPrefix(),
        new EpochTerms(opened, config.replaces()));
  }

  private Future<Void> start(
      PolicyLibrary library, CoordinatorHistory history, EpochKeeping keeping) {
    AuditLog auditLog = AuditLog.open(setup.config().audit());
    audit = auditLog;
    Coordination coordinating = coordinate(history, keeping, library.active());
    coordination = coordinating;
    coordinating.changes().listen(new Withdrawals());
    LockMetrics lockMetrics = new LockMetrics(registry, coordinating.locks(), setup.clocks());
    coordinating.changes().listen(lockMetrics);
    vertx.setPeriodic(SWEEP_EVERY.toMillis(), unused -> lockMetrics.sweep());
    vertx.setPeriodic(FADE_EVERY.toMillis(), unused -> hot.fade());
    Observations observations =
        new Observations(registry, auditLog, setup.clocks(), lockMetrics, hot);
    GatewayMetrics.register(
        registry,
        new GatewayMetrics.Sources(barrier, coordinating, library, auditLog, setup.clocks()));
    CommitMetrics.register(registry, coordinating.commits());
    vertx.setPeriodic(FORGET_EVERY.toMillis(), unused -> forgetIdle());
    WriteService writes = writes(coordinating, library, observations);
    agree(coordinating, library, writes);
    Relay relaying =
        new Relay(vertx, setup.clocks(), ownership.apply(coordinating), coordinating.gatewayKeys());
    relay = relaying;
    Router workers = workerRouter(coordinating, library, observations, writes, relaying);
    OperatorApi.Parts operating =
        operatorParts(
            coordinating,
            library,
            new OperatorAudit(auditLog, setup.clocks()),
            writes,
            relaying.calls());
    OperatorApi.takeErrands(workers, operating);
    workerRouter = workers;
    return listen(setup.config().operator(), unused -> {}, OperatorApi.router(operating))
        .map(
            server -> {
              operator = server;
              LOG.info("worker port {}, operator port {}", workerPort(), operatorPort());
              return null;
            });
  }

  /** What gateways share about policies and freezes, and what this one adds to it. */
  private void agree(Coordination coordinating, PolicyLibrary library, WriteService writes) {
    coordinating.drains().follow(writes::ended);
    coordinating
        .policies()
        .listen(
            () -> {
              writes.forgetConfirmed();
              withdrawAll();
            });
    coordinating.policySwitch().waitFor(library.active()::longestWrite);
    library.active().agreeBy(terms -> coordinating.policySwitch().objection(terms));
    Runnable own =
        () -> {
          coordinating.policies().own(library.active().terms().values());
          coordinating.freezes().readAnew().otherwiseEmpty();
        };
    own.run();
    library.follow(own);
  }

  private Coordination coordinate(
      CoordinatorHistory history, EpochKeeping keeping, ActivePolicies active) {
    return Coordination.start(
        new Coordination.Setup(
            vertx,
            setup.store(),
            setup.config().coordinator().keyPrefix(),
            setup.clocks(),
            setup.config().address(workerPort()),
            setup.secureRandom(),
            barrier,
            active::longestForward,
            keeping),
        history,
        this::withdrawAll);
  }

  private void withdrawAll() {
    ClockReading now = setup.clocks().read();
    barrier.withdrawAll(now);
    shadow.withdrawAll(now);
  }

  private void forgetIdle() {
    ClockReading now = setup.clocks().read();
    barrier.forgetIdle(now);
    shadow.forgetIdle(now);
  }

  /** What is known of a lock is void as soon as it changes hands. */
  private final class Withdrawals implements LockChanges.Listener {
    @Override
    public void lockChanged(ResourceName resource, long revision) {
      ClockReading now = setup.clocks().read();
      barrier.withdraw(resource, now);
      shadow.withdraw(resource, now);
    }

    @Override
    public void missedChanges() {
      withdrawAll();
    }
  }

  private WriteService writes(
      Coordination coordinating, PolicyLibrary library, Observations observations) {
    coordinating.custody().askBy(new AdapterProbe(library.active(), setup.clocks()));
    return new WriteService(
        new WriteService.Parts(
            vertx,
            barrier,
            shadow,
            library.active(),
            coordinating.epochs(),
            coordinating.foreignEpochs(),
            coordinating.idempotency(),
            coordinating.session(),
            coordinating.custody(),
            coordinating.freezes(),
            coordinating.policies(),
            setup.clocks(),
            observations));
  }

  private Router workerRouter(
      Coordination coordinating,
      PolicyLibrary library,
      Observations observations,
      WriteService writes,
      Relay relaying) {
    return WorkerApi.router(
        new WorkerApi.Parts(
            vertx,
            coordinating.locks(),
            writes,
            library.active(),
            setup.clocks(),
            observations,
            gate,
            relaying));
  }

  private OperatorApi.Parts operatorParts(
      Coordination coordinating,
      PolicyLibrary library,
      OperatorObserver observer,
      WriteService writes,
      OwnerCalls owners) {
    return new OperatorApi.Parts(
        vertx,
        library,
        coordinating,
        coordinating.locks(),
        writes,
        coordinating.epochs(),
        barrier,
        observer,
        registry,
        new Readiness(coordinating, library, gate, setup.clocks()),
        hot,
        setup.clocks(),
        owners);
  }

  private Future<HttpServer> listen(
      Listener listener, Handler<HttpConnection> connections, Handler<HttpServerRequest> handler) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(listener.host())
            .setPort(listener.port())
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setMaxInitialLineLength(MAX_LINE_BYTES)
            // There are no web sockets; their handler would look at every message.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            .setIdleTimeout(IDLE_SECONDS)
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
    return vertx
        .createHttpServer(options)
        .invalidRequestHandler(WorkerApi::malformed)
        .connectionHandler(connections)
        .requestHandler(handler)
        .listen()
        .recover(cause -> Future.failedFuture(new PortUnavailable(listener, cause)));
  }

  /** The worker port, once started. */
  public int workerPort() {
    return port(worker);
  }

  /** The operator port, once started. */
  public int operatorPort() {
    return port(operator);
  }

  /** How many policies are in force, once started. */
  public int policyCount() {
    return policies == null ? 0 : policies.active().set().policies().size();
  }

  private static int port(@Nullable HttpServer server) {
    if (server == null) {
      throw new IllegalStateException("the gateway is not started");
    }
    return server.actualPort();
  }

  /** Lets nobody in any more, answers everybody who is in, then closes what it has opened. */
  @Override
  public Future<?> stop() {
    LOG.info("draining");
    Optional.ofNullable(coordination).ifPresent(it -> it.locks().endWaits());
    gate.announce();
    return handOver()
        .compose(unused -> InTime.of(vertx, drained(MAX_LOOKS), DRAIN_BUDGET))
        .onFailure(late -> LOG.error("requests are still in flight after {}", DRAIN_BUDGET))
        .transform(unused -> closeAll())
        .onSuccess(unused -> LOG.info("stopped"));
  }

  /**
   * New connections are refused from here on, and idle ones closed. One that was just opened would
   * be reset with the request on its way, so this waits a little for a moment without any.
   */
  private Future<Void> drained(int looksLeft) {
    if (gate.expectsRequests() && looksLeft > 0) {
      return vertx
          .timer(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)
          .compose(unused -> drained(looksLeft - 1));
    }
    Optional.ofNullable(worker)
        .ifPresent(it -> it.shutdown(DRAIN_BUDGET.toSeconds(), TimeUnit.SECONDS));
    return gate.drain();
  }

  /** While others take over, this gateway still serves what it has and relays the rest. */
  private Future<Void> handOver() {
    return Optional.ofNullable(coordination)
        .map(it -> InTime.of(vertx, it.slots().leave(), HANDOVER_BUDGET).otherwiseEmpty())
        .orElseGet(Future::succeededFuture);
  }

  /** Closes whatever has been opened, the doors first and the audit trail last. */
  private Future<Void> closeAll() {
    return close(Optional.ofNullable(worker).map(HttpServer::close))
        .transform(unused -> close(Optional.ofNullable(relay).map(Relay::close)))
        .transform(unused -> close(Optional.ofNullable(policies).map(PolicyLibrary::close)))
        .transform(unused -> close(Optional.ofNullable(coordination).map(Coordination::close)))
        .transform(unused -> close(Optional.ofNullable(ledger).map(EpochStore::close)))
        .transform(unused -> close(Optional.ofNullable(operator).map(HttpServer::close)))
        .transform(unused -> vertx.executeBlocking(this::closeAudit));
  }

  private static Future<Void> close(Optional<Future<Void>> closing) {
    return closing.orElseGet(Future::succeededFuture);
  }

  private @Nullable Void closeAudit() {
    if (audit != null) {
      audit.close();
    }
    return null;
  }
}
