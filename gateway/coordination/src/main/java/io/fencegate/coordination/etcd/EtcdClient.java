/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.etcd.jetcd.api.StatusResponse;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.coordination.store.Watch;
import io.fencegate.policy.time.Clocks;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;

/**
 * The driver as a whole: takes questions and watches from any thread to the loop, and ends
 * everything in order.
 */
final class EtcdClient {

  /** A second of full load; more would only wait for their deadline. */
  private static final int MAX_PENDING = 4_096;

  private static final Duration END_POLL = Duration.ofMillis(10);

  /** Channels that do not end in this time are left behind. */
  private static final int MAX_END_POLLS = 300;

  private final EtcdLoop loop;
  private final EtcdNodes nodes;
  private final EtcdLogin login;
  private final EtcdRequest.Shared shared;
  private final Set<EtcdWatch> watches = new LinkedHashSet<>();
  private final AtomicInteger pending = new AtomicInteger();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile boolean closed;
  private boolean ending;

  private EtcdClient(EtcdSettings settings, EtcdLoop loop, EtcdChannels channels, Clocks clocks) {
    this.loop = loop;
    this.nodes = new EtcdNodes(settings.endpoints(), new EtcdNode.Shared(loop, channels, clocks));
    this.login = new EtcdLogin(settings.login(), loop, clocks);
    this.shared = new EtcdRequest.Shared(loop, nodes, login, clocks);
  }

  /** Reads files; blocking. */
  static EtcdClient open(EtcdSettings settings, Clocks clocks, DoubleSupplier random) {
    EtcdLoop loop = new EtcdLoop(random);
    try {
      EtcdChannels channels = EtcdChannels.of(settings, loop);
      EtcdClient client = new EtcdClient(settings, loop, channels, clocks);
      loop.execute(client.nodes::start);
      return client;
    } catch (RuntimeException e) {
      loop.end(() -> {});
      throw e;
    }
  }

  /** The answer completes on the loop. */
  <T> CompletionStage<T> ask(EtcdQuestion<?, ?, T> question) {
    EtcdRequest<?, ?, T> request = new EtcdRequest<>(shared, question, this::settled);
    int before = pending.getAndIncrement();
    if (closed) {
      request.refuse("this store is closed");
    } else if (before >= MAX_PENDING) {
      request.refuse(before + " requests wait for etcd, at most " + MAX_PENDING);
    } else {
      loop.execute(request::start);
    }
    return request.answer();
  }

  <T> CompletionStage<T> refused(String reason) {
    return CompletableFuture.failedFuture(new StoreException(StoreException.Kind.DEFINITE, reason));
  }

  private void settled() {
    if (pending.decrementAndGet() == 0 && closed) {
      loop.execute(this::end);
    }
  }

  Watch watch(EtcdWatch.Wish wish, EtcdWatch.Told told) {
    EtcdWatch watch = new EtcdWatch(shared, wish, told);
    loop.execute(
        () -> {
          if (closed) {
            watch.lose("this store is closed");
          } else {
            watches.removeIf(EtcdWatch::hasEnded);
            watches.add(watch);
            watch.open();
          }
        });
    return watch;
  }

  boolean isClosed() {
    return closed;
  }

  /** What is known without asking, but for the quorum. */
  CompletionStage<StoreHealth> health(boolean quorum, OptionalLong quotaBytes) {
    CompletableFuture<StoreHealth> answer = new CompletableFuture<>();
    loop.execute(() -> answer.complete(healthNow(quorum, quotaBytes)));
    return answer;
  }

  private StoreHealth healthNow(boolean quorum, OptionalLong quotaBytes) {
    List<StatusResponse> known = nodes.known();
    OptionalLong clusterId =
        known.stream().mapToLong(it -> it.getHeader().getClusterId()).findFirst();
    long usedBytes = known.stream().mapToLong(StatusResponse::getDbSize).max().orElse(0);
    boolean exhausted = nodes.all().stream().anyMatch(it -> !it.isForeign() && it.hasSpaceAlarm());
    return new StoreHealth(
        clusterId,
        quorum,
        nodes.all().stream().map(this::health).toList(),
        new StoreHealth.Space(usedBytes, quotaBytes, exhausted));
  }

  private StoreHealth.Endpoint health(EtcdNode node) {
    StoreHealth.Endpoint own = node.health();
    return new StoreHealth.Endpoint(own.name(), own.trouble().or(login::refusal), own.leader());
  }

  CompletionStage<Void> close() {
    closed = true;
    loop.execute(
        () -> {
          watches.forEach(it -> it.lose("this store is closed"));
          watches.clear();
          if (pending.get() == 0) {
            end();
          }
        });
    return ended;
  }

  private void end() {
    if (!ending) {
      ending = true;
      nodes.end();
      endLoop(MAX_END_POLLS);
    }
  }

  /** The loop goes last: channels end on it. */
  private void endLoop(int polls) {
    if (nodes.hasEnded() || polls == 0) {
      loop.end(() -> ended.complete(null));
    } else {
      Runnable unused = loop.after(END_POLL, () -> endLoop(polls - 1));
    }
  }
}
