/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.ForwardOutcome;
import io.fencegate.adapter.spi.ForwardPreparation;
import io.fencegate.adapter.spi.LastLook;
import io.fencegate.adapter.spi.Offer;
import io.fencegate.adapter.spi.OutcomeRecords;
import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.adapter.spi.ProxyAdapter;
import io.fencegate.adapter.spi.ReconcileOutcome;
import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.NetClientOptions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** An HTTP service behind one pool of connections. Used from one context. */
final class HttpAdapter implements ProxyAdapter {

  private static final String TOKEN = "Fencing-Token";

  /** Below the shortest idle limit that is common among servers, 5 s. */
  private static final int KEEP_ALIVE_SECONDS = 4;

  /** Answers' heads: what common servers send at most. */
  private static final int MAX_HEADER_BYTES = 64 * 1024;

  /** So many writes at most are in doubt when one connection breaks. */
  private static final int MAX_STREAMS = 16;

  private final HttpSettings settings;
  private final AdapterContext context;
  private final Offer offer;
  private final HttpClientAgent client;
  private final Set<Exchange> open = new HashSet<>();
  private final Optional<ForwardPreparation> preparation;
  private boolean closed;

  HttpAdapter(HttpSettings settings, AdapterContext context) {
    this.settings = settings;
    this.context = context;
    this.offer = settings.fencing().offer();
    this.preparation =
        settings.fencing() == FencingMode.CONDITIONAL
            ? Optional.of(new VersionedForwards(this, context))
            : Optional.empty();
    HttpClientOptions options =
        new HttpClientOptions()
            .setDefaultHost(settings.host())
            .setDefaultPort(settings.port())
            .setSsl(settings.encrypted())
            .setConnectTimeout(Math.toIntExact(settings.connectTimeout().toMillis()))
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setMaxHeaderSize(MAX_HEADER_BYTES);
    PoolOptions pool =
        new PoolOptions()
            .setHttp1MaxSize(settings.poolSize())
            .setMaxWaitQueueSize(settings.poolQueue());
    if (settings.http2()) {
      speakHttp2(options, pool, settings);
    }
    this.client = context.vertx().createHttpClient(options, pool);
  }

  /** Without encryption the service is known to speak it; else both sides say what they speak. */
  private static void speakHttp2(
      HttpClientOptions options, PoolOptions pool, HttpSettings settings) {
    int streams = Math.min(settings.poolSize(), MAX_STREAMS);
    options
        .setProtocolVersion(HttpVersion.HTTP_2)
        .setUseAlpn(settings.encrypted())
        .setHttp2ClearTextUpgrade(false)
        .setHttp2KeepAliveTimeout(KEEP_ALIVE_SECONDS)
        .setHttp2MultiplexingLimit(streams);
    pool.setHttp2MaxSize((settings.poolSize() + streams - 1) / streams);
  }

  @Override
  public Offer offer() {
    return offer;
  }

  @Override
  public Duration longestForward() {
    return settings.http2()
        ? settings.timeout().plus(Destruction.PING_PATIENCE)
        : settings.timeout();
  }

  @Override
  public Future<ForwardOutcome> forward(
      Permit permit, ProxiedRequest request, String name, long deadlineNanos, LastLook lastLook) {
    if (preparation.isPresent()) {
      return Future.failedFuture(new IllegalStateException("a write was not prepared"));
    }
    MultiMap headers = headers(permit, request);
    if (namesWrites()) {
      headers.set(Probe.WRITE_ID, name);
    }
    return start(new Errand(request, headers, Errand.Kind.WRITE, deadlineNanos), lastLook);
  }

  @Override
  public boolean namesWrites() {
    return settings.probe().isPresent();
  }

  /** Those that pass, and ours. */
  static MultiMap headers(Permit permit, ProxiedRequest request) {
    MultiMap headers = PassingHeaders.there(request.headers());
    headers.set(TOKEN, permit.token().toString());
    return headers;
  }

  @Override
  public Optional<ForwardPreparation> preparation() {
    return preparation;
  }

  @Override
  public Future<ForwardOutcome> read(ProxiedRequest request, long deadlineNanos) {
    MultiMap headers = PassingHeaders.there(request.headers());
    return start(
        new Errand(request, headers, Errand.Kind.READ, deadlineNanos),
        LastLook.untilThen(deadlineNanos));
  }

  Future<ForwardOutcome> start(Errand errand, LastLook lastLook) {
    if (closed) {
      return Future.succeededFuture(
          new ForwardOutcome.Rejected(
              RefusalCode.DRAINING.because("this gateway is shutting down")));
    }
    Exchange exchange = new Exchange(client, settings, context, errand);
    open.add(exchange);
    return exchange.run(lastLook).onComplete(ended -> open.remove(exchange));
  }

  /** Operations are no way to write here. */
  @Override
  public Optional<Refusal> objection(WriteContent content) {
    return Optional.of(noOperations());
  }

  @Override
  public Future<ApplyOutcome> apply(Permit permit, FencedWrite write) {
    return Future.succeededFuture(new ApplyOutcome.Rejected(noOperations()));
  }

  private static Refusal noOperations() {
    return RefusalCode.UNKNOWN_OPERATION.because(
        "the policy forwards HTTP requests and has no operations");
  }

  /**
   * Where the gateway orders the writes it has let everything older settle before it asks. Where
   * versions shut older writes out, only a newer token's write does, not a seal.
   */
  @Override
  public Future<SealOutcome> seal(Permit permit, Seal seal) {
    return Future.succeededFuture(
        preparation.isPresent()
            ? new SealOutcome.Failed(
                RefusalCode.METHOD_NOT_ALLOWED.because(
                    "the service compares versions, not tokens: older writes can land until the"
                        + " first newer one has, so nothing can be sealed"))
            : new SealOutcome.Sealed());
  }

  @Override
  public Future<ReconcileOutcome> reconcile(String writeId, long deadlineNanos) {
    return settings
        .probe()
        .map(
            probe ->
                start(probe.errand(writeId, deadlineNanos), LastLook.untilThen(deadlineNanos))
                    .map(Probe::outcome))
        .orElseGet(
            () ->
                Future.succeededFuture(
                    new ReconcileOutcome.StillUnknown(
                        "the policy names no way to ask the service what it did")));
  }

  @Override
  public Optional<OutcomeRecords> records() {
    return Optional.empty();
  }

  @Override
  public Future<Optional<String>> unreachable() {
    int patienceMillis = Math.toIntExact(settings.connectTimeout().toMillis());
    var prober =
        context.vertx().createNetClient(new NetClientOptions().setConnectTimeout(patienceMillis));
    return prober
        .connect(settings.port(), settings.host())
        .compose(socket -> socket.close())
        .transform(
            reached ->
                Future.succeededFuture(
                    reached.succeeded()
                        ? Optional.<String>empty()
                        : Optional.of(
                            settings.host() + ":" + settings.port() + " cannot be reached")))
        .eventually(prober::close);
  }

  /** What is under way ends now: unsent, or in doubt. */
  @Override
  public Future<Void> close() {
    closed = true;
    List.copyOf(open).forEach(Exchange::abandon);
    return client.close();
  }
}
