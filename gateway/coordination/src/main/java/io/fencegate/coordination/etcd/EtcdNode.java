/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.policy.time.Clocks;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node of etcd and the channel to it. Its status is asked every second, over the same
 * connection as everything else; that tells whether it answers, whether it knows a leader, and
 * whether it has space. A node that lets such a question run into its deadline, with no other
 * answer meanwhile, is stopped or out of reach: everything under way with it is ended, so that it
 * goes on elsewhere. While it does not answer it is asked again with growing waits, and each time
 * the channel is made to connect, so it is back within seconds when etcd is.
 */
final class EtcdNode {

  static final Duration PROBE_PERIOD = Duration.ofSeconds(1);

  /** Longer than a busy machine's pauses; with the period, traffic moves within three seconds. */
  private static final Duration PROBE_DEADLINE = Duration.ofSeconds(2);

  private static final Duration FIRST_RETRY = Duration.ofMillis(100);
  private static final Duration LAST_RETRY = Duration.ofSeconds(2);

  /** A connection that was opened while nothing got through may stay dead: take a new one. */
  private static final int SILENT_PROBES_PER_CHANNEL = 2;

  private static final Metadata.Key<String> TOKEN =
      Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

  private static final Logger LOG = LoggerFactory.getLogger(EtcdNode.class);

  private final URI uri;
  private final EtcdLoop loop;
  private final EtcdChannels channels;
  private final Clocks clocks;
  private final Listener listener;
  private final Set<ClientCall<?, ?>> underWay = new LinkedHashSet<>();
  private ManagedChannel channel;
  private Optional<StatusResponse> known = Optional.empty();
  private Optional<String> trouble = Optional.of("not asked yet");
  private Optional<String> foreign = Optional.empty();
  private Runnable cancelProbe = () -> {};
  private boolean probing;
  private boolean ended;
  private boolean warned;
  private int failures;
  private int silentProbes;
  private long lastAnswerNanos;

  /** Things that a node needs and shares with its siblings. */
  record Shared(EtcdLoop loop, EtcdChannels channels, Clocks clocks) {}

  /**
   * Told of a node.
   *
   * @param answered it has told its status; whether it is of another cluster is judged by that
   * @param usable calls may be sent to it
   */
  record Listener(Runnable answered, Runnable usable) {}

  EtcdNode(URI uri, Shared shared, Listener listener) {
    this.uri = uri;
    this.loop = shared.loop();
    this.channels = shared.channels();
    this.clocks = shared.clocks();
    this.listener = listener;
    this.channel = channels.open(uri);
    this.lastAnswerNanos = nowNanos();
  }

  void start() {
    watchConnection(channel, channel.getState(true));
    probe();
  }

  String name() {
    return uri.getHost() + ":" + uri.getPort();
  }

  /** Whether calls may be sent here. */
  boolean isUsable() {
    return !ended && trouble().isEmpty() && channel.getState(false) == ConnectivityState.READY;
  }

  boolean leads() {
    return known
        .filter(it -> it.getLeader() != 0 && it.getLeader() == it.getHeader().getMemberId())
        .isPresent();
  }

  boolean hasSpaceAlarm() {
    return known
        .filter(it -> it.getErrorsList().stream().anyMatch(error -> error.contains("NOSPACE")))
        .isPresent();
  }

  /** Whose data it holds; empty while it does not answer. */
  OptionalLong clusterId() {
    return known.stream()
        .mapToLong(it -> it.getHeader().getClusterId())
        .filter(id -> id != 0)
        .findFirst();
  }

  boolean isForeign() {
    return foreign.isPresent();
  }

  /**
   * Whether it belongs to another cluster, and how that is said. Then what is under way with it is
   * ended: it was meant for another.
   */
  void setForeign(Optional<String> reason) {
    boolean endsCalls = foreign.isEmpty() && reason.isPresent();
    foreign = reason;
    if (endsCalls) {
      cancelAll("is of another cluster");
    }
  }

  private Optional<String> trouble() {
    return foreign.or(() -> trouble);
  }

  /** What it said last; empty while it does not answer. */
  Optional<StatusResponse> known() {
    return known;
  }

  StoreHealth.Endpoint health() {
    return new StoreHealth.Endpoint(name(), trouble(), leads() && !isForeign());
  }

  /** Why it is not usable, for messages. */
  String troubleText() {
    return name() + ": " + trouble().orElse("connection lost");
  }

  /** A call that waits for one answer. */
  <Q, A> void ask(
      MethodDescriptor<Q, A> method, Q request, Terms terms, UnaryListener.Outcome<A> outcome) {
    CallOptions options =
        CallOptions.DEFAULT.withDeadlineAfter(terms.deadline().toNanos(), TimeUnit.NANOSECONDS);
    ClientCall<Q, A> call = open(method, options, terms.headers(), new UnaryListener<>(outcome));
    call.request(2);
    call.sendMessage(request);
    call.halfClose();
  }

  /** What goes along with a call: a token where there is one, and its deadline. */
  record Terms(Optional<String> token, Duration deadline) {
    private Metadata headers() {
      return EtcdNode.headers(token);
    }
  }

  static Metadata headers(Optional<String> token) {
    Metadata headers = new Metadata();
    token.ifPresent(it -> headers.put(TOKEN, it));
    return headers;
  }

  /** Opens a call; the listener hears of its end also when this node is given up. */
  <Q, A> ClientCall<Q, A> open(
      MethodDescriptor<Q, A> method,
      CallOptions options,
      Metadata headers,
      ClientCall.Listener<A> listener) {
    ClientCall<Q, A> call = channel.newCall(method, options);
    underWay.add(call);
    call.start(
        new SimpleForwardingClientCallListener<A>(listener) {
          @Override
          public void onMessage(A message) {
            lastAnswerNanos = nowNanos();
            super.onMessage(message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            underWay.remove(call);
            super.onClose(status, trailers);
          }
        },
        headers);
    return call;
  }

  /** Asks for the status soon instead of at the next turn. */
  void probeSoon() {
    if (!probing) {
      probeAfter(loop.jittered(FIRST_RETRY));
    }
  }

  private void probeAfter(Duration wait) {
    cancelProbe.run();
    cancelProbe = loop.after(wait, this::probe);
  }

  private void probe() {
    if (ended || probing) {
      return;
    }
    probing = true;
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      channel.resetConnectBackoff();
    }
    long askedNanos = nowNanos();
    ask(
        MaintenanceGrpc.getStatusMethod(),
        StatusRequest.getDefaultInstance(),
        new Terms(Optional.empty(), PROBE_DEADLINE),
        new UnaryListener.Outcome<>() {
          @Override
          public void answered(StatusResponse answer) {
            probing = false;
            onStatus(answer);
          }

          @Override
          public void failed(Status status) {
            probing = false;
            onNoStatus(status, askedNanos);
          }
        });
  }

  private void onStatus(StatusResponse answer) {
    known = Optional.of(answer);
    failures = 0;
    silentProbes = 0;
    trouble = troubleIn(answer);
    listener.answered().run();
    if (isUsable()) {
      if (warned) {
        warned = false;
        LOG.info("etcd node {} is back", name());
      }
      listener.usable().run();
    } else {
      warnOnce();
    }
    probeAfter(PROBE_PERIOD);
  }

  private static Optional<String> troubleIn(StatusResponse answer) {
    if (answer.getIsLearner()) {
      return Optional.of("it is a learner");
    }
    return answer.getLeader() == 0 ? Optional.of("it knows no leader") : Optional.empty();
  }

  private void onNoStatus(Status status, long askedNanos) {
    if (ended) {
      return;
    }
    boolean silent = status.getCode() == Status.Code.DEADLINE_EXCEEDED;
    if (silent && lastAnswerNanos - askedNanos > 0) {
      // Slow, but other answers came.
      probeAfter(PROBE_PERIOD);
      return;
    }
    known = Optional.empty();
    trouble = Optional.of(silent ? "it does not answer" : EtcdFailures.describe(status));
    warnOnce();
    if (silent) {
      giveUp();
    }
    probeAfter(loop.backoff(FIRST_RETRY, LAST_RETRY, failures));
    failures++;
  }

  private void giveUp() {
    cancelAll("does not answer");
    silentProbes++;
    if (silentProbes % SILENT_PROBES_PER_CHANNEL == 0) {
      channel.shutdownNow();
      channel = channels.open(uri);
      watchConnection(channel, channel.getState(true));
    }
  }

  private void cancelAll(String reason) {
    List.copyOf(underWay).forEach(call -> call.cancel(name() + " " + reason, null));
  }

  private void watchConnection(ManagedChannel watched, ConnectivityState last) {
    watched.notifyWhenStateChanged(
        last,
        () -> {
          if (ended || watched != channel) {
            return;
          }
          ConnectivityState now = watched.getState(false);
          if (last == ConnectivityState.READY) {
            probeSoon();
          }
          watchConnection(watched, now);
        });
  }

  private void warnOnce() {
    if (!warned) {
      warned = true;
      LOG.warn("etcd node {} is not usable: {}", name(), trouble().orElse("connection lost"));
    }
  }

  /** Ends the channel and everything under way. */
  void end() {
    ended = true;
    cancelProbe.run();
    channel.shutdownNow();
  }

  boolean hasEnded() {
    return channel.isTerminated();
  }

  private long nowNanos() {
    return clocks.read().monotonicNanos();
  }
}
