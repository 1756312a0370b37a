/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.Watch;
import io.fencegate.coordination.store.WatchEvent;
import io.fencegate.coordination.store.WatchListener;
import io.fencegate.coordination.store.WatchScope;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.vertx.core.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One watch: at any time at most one stream, which is opened again from the revision after the last
 * one told whenever it breaks. etcd ends it where the node loses its leader; {@link EtcdNode} ends
 * it where the node no longer answers.
 *
 * <p>It asks for one revision more than it tells. etcd forgets deletes at exactly the revision of a
 * compaction, and yet lets a watch start there; one revision earlier it says that the history is
 * gone.
 *
 * <p>The next answer is asked for when the listener has taken the one before, so a slow listener
 * fills no memory here. Lives on the loop; the listener is told on its own context.
 */
final class EtcdWatch implements Watch {

  private static final Duration FIRST_RETRY = Duration.ofMillis(50);
  private static final Duration LAST_RETRY = Duration.ofSeconds(2);

  /** How long etcd may take to confirm a stream before another one is tried. */
  private static final Duration CREATION_PATIENCE = Duration.ofSeconds(5);

  /** A node that lags catches up sooner; a store that was put back never does. */
  private static final Duration BEHIND_PATIENCE = Duration.ofSeconds(10);

  /** The first refusal may be about an old token. */
  private static final int MAX_REFUSALS = 2;

  /** Ends the stream of a node that has lost its leader. */
  private static final Metadata.Key<String> REQUIRE_LEADER =
      Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

  /** What is watched. */
  record Wish(KeyRange range, long fromRevision, WatchScope scope) {}

  /** Who is told, and where. */
  record Told(WatchListener listener, Context context) {}

  private final EtcdRequest.Shared shared;
  private final Wish wish;
  private final Told told;
  private Optional<Stream> stream = Optional.empty();
  private Runnable stopWaiting = () -> {};
  private long nextRevision;
  private long seenRevision;
  private long clusterId;
  private Optional<Long> behindSinceNanos = Optional.empty();
  private int failures;
  private int refusals;

  /** On the loop: no stream is opened any more. */
  private boolean over;

  /** For the listener's context: nothing is told any more. */
  private volatile boolean ended;

  EtcdWatch(EtcdRequest.Shared shared, Wish wish, Told told) {
    this.shared = shared;
    this.wish = wish;
    this.told = told;
    this.nextRevision = wish.fromRevision();
  }

  boolean hasEnded() {
    return over;
  }

  void open() {
    stopWaiting = () -> {};
    if (over) {
      return;
    }
    Optional<EtcdNode> node = shared.nodes().best();
    if (node.isEmpty()) {
      stopWaiting = shared.nodes().whenUsable(this::open);
      return;
    }
    shared.login().token(node.get(), token -> withToken(node.get(), token));
  }

  private void withToken(EtcdNode node, EtcdLogin.Answer token) {
    if (over) {
      return;
    }
    if (token instanceof EtcdLogin.Token known) {
      Stream opened = new Stream(node, known.value());
      stream = Optional.of(opened);
      opened.start();
    } else {
      again();
    }
  }

  private void again() {
    stream.ifPresent(Stream::cancel);
    stream = Optional.empty();
    if (!over) {
      Duration wait = shared.loop().backoff(FIRST_RETRY, LAST_RETRY, failures++);
      stopWaiting = shared.loop().after(wait, this::open);
    }
  }

  @Override
  public void close() {
    ended = true;
    shared.loop().execute(this::stop);
  }

  /** The listener is told, on its context, unless it has closed the watch by then. */
  void lose(String reason) {
    stop();
    onContext(
        () -> {
          if (!ended) {
            ended = true;
            told.listener().lost(reason);
          }
        });
  }

  private void stop() {
    over = true;
    stopWaiting.run();
    stream.ifPresent(Stream::cancel);
    stream = Optional.empty();
  }

  private boolean onContext(Runnable task) {
    try {
      told.context().runOnContext(unused -> task.run());
      return true;
    } catch (RejectedExecutionException e) {
      // The context's Vert.x is closed: there is nobody left to tell.
      ended = true;
      return false;
    }
  }

  private WatchRequest request() {
    WatchCreateRequest.Builder create =
        WatchCreateRequest.newBuilder()
            .setKey(EtcdTransactions.bytes(wish.range().from()))
            .setRangeEnd(EtcdTransactions.bytes(wish.range().to()))
            .setStartRevision(Math.max(1, nextRevision - 1))
            .setProgressNotify(true);
    if (wish.scope() == WatchScope.DELETES) {
      create.addFilters(WatchCreateRequest.FilterType.NOPUT);
    }
    return WatchRequest.newBuilder().setCreateRequest(create).build();
  }

  private void onResponse(Stream from, WatchResponse response) {
    if (isAnotherCluster(response)) {
      lose("another etcd cluster answers");
    } else if (response.getCanceled()) {
      onCanceled(from, response);
    } else if (response.getCreated()) {
      onCreated(from, response.getHeader().getRevision());
    } else if (response.getEventsCount() > 0) {
      onEvents(from, response.getEventsList());
    } else {
      onProgress(from, response);
    }
  }

  private boolean isAnotherCluster(WatchResponse response) {
    long answering = response.getHeader().getClusterId();
    boolean another = clusterId != 0 && answering != 0 && answering != clusterId;
    clusterId = clusterId == 0 ? answering : clusterId;
    return another;
  }

  private void onCanceled(Stream from, WatchResponse response) {
    if (response.getCompactRevision() > 0) {
      lose(
          "history before revision "
              + response.getCompactRevision()
              + " was compacted, needed from "
              + nextRevision);
    } else if (isRefusal(response.getCancelReason())) {
      refused(from, response.getCancelReason());
    } else {
      again();
    }
  }

  private static boolean isRefusal(String reason) {
    return reason.contains("permission denied") || reason.contains("auth");
  }

  private void refused(Stream from, String reason) {
    shared.login().forget(from.token);
    refusals++;
    if (refusals >= MAX_REFUSALS || !shared.login().isConfigured()) {
      lose("etcd refuses the watch: " + reason);
    } else {
      again();
    }
  }

  /** The revision is the node's: one below what this watch has seen lags, or was put back. */
  private void onCreated(Stream from, long revision) {
    from.confirmed();
    refusals = 0;
    if (revision >= seenRevision) {
      failures = 0;
      behindSinceNanos = Optional.empty();
      seenRevision = revision;
      from.more();
      return;
    }
    long nowNanos = shared.clocks().read().monotonicNanos();
    long sinceNanos = behindSinceNanos.orElse(nowNanos);
    behindSinceNanos = Optional.of(sinceNanos);
    if (nowNanos - sinceNanos > BEHIND_PATIENCE.toNanos()) {
      lose("etcd is at revision " + revision + ", was at " + seenRevision + " before");
    } else {
      again();
    }
  }

  private void onEvents(Stream from, List<Event> events) {
    long last = events.get(events.size() - 1).getKv().getModRevision();
    List<WatchEvent> news = new ArrayList<>(events.size());
    for (Event event : events) {
      if (event.getKv().getModRevision() >= nextRevision) {
        EtcdTransactions.event(event).ifPresent(news::add);
      }
    }
    nextRevision = Math.max(nextRevision, last + 1);
    seenRevision = Math.max(seenRevision, last);
    if (news.isEmpty()) {
      from.more();
    } else {
      tell(from, news);
    }
  }

  private void tell(Stream from, List<WatchEvent> news) {
    boolean sent =
        onContext(
            () -> {
              if (!ended) {
                hand(from, news);
              }
            });
    if (!sent) {
      stop();
    }
  }

  /** Who fails at a change may have missed it; the context's own handler is told why. */
  private void hand(Stream from, List<WatchEvent> news) {
    boolean taken = false;
    try {
      told.listener().changed(news);
      taken = true;
    } finally {
      Runnable next = taken ? from::more : () -> lose("its listener failed");
      shared.loop().execute(next);
    }
  }

  /** Nothing happened up to this revision. */
  private void onProgress(Stream from, WatchResponse response) {
    if (response.getWatchId() >= 0) {
      long revision = response.getHeader().getRevision();
      nextRevision = Math.max(nextRevision, revision + 1);
      seenRevision = Math.max(seenRevision, revision);
    }
    from.more();
  }

  private void onEnd(Stream from, Status status) {
    if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED
        && !EtcdFailures.saysTooManyRequests(status)) {
      lose("too much has changed at once: " + EtcdFailures.describe(status));
    } else if (status.getCode() == Status.Code.UNAUTHENTICATED
        || status.getCode() == Status.Code.PERMISSION_DENIED) {
      refused(from, EtcdFailures.describe(status));
    } else {
      again();
    }
  }

  /** One stream; what a former one still says is not heard. */
  private final class Stream extends ClientCall.Listener<WatchResponse> {

    private final EtcdNode node;
    private final Optional<String> token;
    private @Nullable ClientCall<WatchRequest, WatchResponse> call;
    private Runnable cancelTimer = () -> {};

    Stream(EtcdNode node, Optional<String> token) {
      this.node = node;
      this.token = token;
    }

    void start() {
      Metadata headers = EtcdNode.headers(token);
      headers.put(REQUIRE_LEADER, "true");
      cancelTimer = shared.loop().after(CREATION_PATIENCE, this::notConfirmed);
      ClientCall<WatchRequest, WatchResponse> opened =
          node.open(WatchGrpc.getWatchMethod(), CallOptions.DEFAULT, headers, this);
      call = opened;
      opened.request(1);
      opened.sendMessage(request());
    }

    private boolean isCurrent() {
      return stream.filter(it -> it == this).isPresent();
    }

    private void notConfirmed() {
      if (isCurrent()) {
        again();
      }
    }

    void confirmed() {
      cancelTimer.run();
    }

    void more() {
      if (call != null && isCurrent()) {
        call.request(1);
      }
    }

    void cancel() {
      cancelTimer.run();
      if (call != null) {
        call.cancel("not needed any more", null);
      }
    }

    @Override
    public void onMessage(WatchResponse response) {
      if (isCurrent()) {
        onResponse(this, response);
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      cancelTimer.run();
      if (isCurrent()) {
        onEnd(this, status);
      }
    }
  }
}
