/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import java.net.URI;
import java.net.http.HttpClient;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A worker's way to a Fencegate gateway. Make one per process and share it; thread-safe.
 *
 * <pre>{@code
 * try (FencegateClient client = FencegateClient.builder().endpoint(uri).build()) {
 *   AcquireResult result = client.acquire(AcquireRequest.of("settlement/eu"));
 *   if (result instanceof AcquireResult.Held held) {
 *     try (HeldLock lock = held.lock()) {
 *       Operation post = Operation.of("post-entry").param("account", "17").param("amount", "12.50");
 *       WriteResult posted = lock.write(Write.of(post).withIdempotencyKey("posting-1"));
 *     }
 *   }
 * }
 * }</pre>
 *
 * <p>It has one daemon thread for renewals beside those of {@code java.net.http}.
 */
public final class FencegateClient implements AutoCloseable {

  private static final Problem CLOSED =
      Problem.ofOwn("client-closed", "this client was closed", Certainty.REJECTED, false);

  private final HeldLock.Surroundings with;
  private final Acquirer acquirer;
  private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();

  /** Has a value once this was closed: what every acquire is answered from then on. */
  private final CompletableFuture<Problem> closing = new CompletableFuture<>();

  FencegateClient(Transport transport, LeaseKeeper.Parts parts, ClientTimeouts timeouts) {
    with = new HeldLock.Surroundings(transport, parts, timeouts, held::remove);
    acquirer = new Acquirer(with);
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes a lock and waits for the result. A lost or doubtful answer is repeated with the same
   * request id until the resolve time (see {@link Builder#acquireTimeout}) is over. What happens
   * while somebody else holds the lock is the request's {@link Waiting}.
   *
   * <p>An interrupt, or closing this client, ends the waiting: the place in the queue is given up
   * at the gateway, and a grant that was under way already is released when it arrives. Make a new
   * request after that. The thread's interrupt flag stays set.
   */
  public AcquireResult acquire(AcquireRequest request) {
    return acquire(request, List.of(closing));
  }

  /**
   * Takes several locks, or none of them: in the byte order of their names, whatever order they are
   * given in, so that callers who want the same ones never wait for each other in a circle. The
   * options count for each lock, the patience for all of them together; those that are held already
   * are renewed meanwhile. When one cannot be had, or one is lost while the others are waited for,
   * those that are held are released, the last one first.
   *
   * @throws IllegalArgumentException when there is none or there are more than 64, when a name
   *     stands twice, or does not follow the grammar
   */
  public AcquireAllResult acquireAll(List<String> resources, AcquireOptions options) {
    List<ResourceName> names =
        resources.stream().map(name -> ResourceName.parse(name).orThrow()).toList();
    return new MultiAcquire(with.parts().clocks(), this::acquire, closing)
        .acquire(MultiAcquire.ordered(names), options);
  }

  private AcquireResult acquire(AcquireRequest request, List<CompletableFuture<Problem>> stops) {
    AcquireResult result = acquirer.acquire(request, stops);
    if (result instanceof AcquireResult.Held ours) {
      HeldLock lock = ours.lock();
      held.add(lock);
      if (lock.state().isLost()) {
        held.remove(lock);
      }
      if (closing.isDone()) {
        lock.close();
        return new AcquireResult.NotHeld(CLOSED);
      }
    }
    return result;
  }

  /**
   * Gives back every lock that is still held, stops renewing, and ends every acquire that is still
   * waiting; returns when the gateway has been told. Idempotent.
   */
  @Override
  public void close() {
    if (!closing.complete(CLOSED)) {
      return;
    }
    with.parts().timers().endPauses();
    List<CompletableFuture<Boolean>> releases =
        List.copyOf(held).stream().map(HeldLock::release).toList();
    releases.forEach(CompletableFuture::join);
    acquirer.awaitEnds();
    with.parts().timers().close();
  }

  /** Settings of a client; each has a default but the endpoint. Not thread-safe. */
  public static final class Builder {

    private @Nullable URI endpoint;
    private ClientTimeouts timeouts = ClientTimeouts.DEFAULTS;
    private @Nullable SSLContext sslContext;
    private @Nullable Supplier<String> authorization;

    private Builder() {}

    /** The gateway's worker port, e.g. {@code http://127.0.0.1:8080}. Required. */
    public Builder endpoint(URI uri) {
      endpoint = uri;
      return this;
    }

    /** How long a connection may take; default 3 s. */
    public Builder connectTimeout(Duration timeout) {
      timeouts = timeouts.withConnect(timeout);
      return this;
    }

    /** How long one request's whole answer may take; default 10 s. */
    public Builder requestTimeout(Duration timeout) {
      timeouts = timeouts.withRequest(timeout);
      return this;
    }

    /** How long, beyond its patience, an acquire in doubt is repeated; default 20 s. */
    public Builder acquireTimeout(Duration timeout) {
      timeouts = timeouts.withResolveAcquire(timeout);
      return this;
    }

    /** How long a write with an Idempotency-Key is repeated; default 20 s. */
    public Builder writeTimeout(Duration timeout) {
      timeouts = timeouts.withRepeatWrite(timeout);
      return this;
    }

    /**
     * How long one request may wait in the gateway's queue; default 45 s. Longer waits are made of
     * several. Keep it below the idle limit of every proxy in between.
     *
     * @throws IllegalArgumentException when it is less than a millisecond
     */
    public Builder waitPerCall(Duration timeout) {
      if (timeout.toMillis() < 1) {
        throw new IllegalArgumentException("waitPerCall " + timeout + ", expected 1 ms or more");
      }
      timeouts = timeouts.withWaitPerCall(timeout);
      return this;
    }

    /** Trust and client certificate for an {@code https} endpoint. */
    public Builder sslContext(SSLContext context) {
      sslContext = context;
      return this;
    }

    /** Asked for the value of every request's {@code Authorization} header. */
    public Builder authorization(Supplier<String> header) {
      authorization = header;
      return this;
    }

    /**
     * Makes the client; it connects with the first request.
     *
     * @throws IllegalStateException when no endpoint was given
     */
    public FencegateClient build() {
      if (endpoint == null) {
        throw new IllegalStateException(
            "no endpoint was given, expected the gateway's worker port");
      }
      HttpClient.Builder http =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .followRedirects(HttpClient.Redirect.NEVER)
              .connectTimeout(timeouts.connect());
      if (sslContext != null) {
        http.sslContext(sslContext);
      }
      SecureRandom random = new SecureRandom();
      return new FencegateClient(
          new HttpTransport(http.build(), endpoint, authorization),
          new LeaseKeeper.Parts(new SystemClocks(), new SystemTimers(), random::nextDouble),
          timeouts);
    }

    /** The endpoint only; never what authorises. */
    @Override
    public String toString() {
      return "FencegateClient.Builder[" + endpoint + "]";
    }
  }

  @Override
  public String toString() {
    return "FencegateClient[" + held.size() + " held]";
  }
}
