/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.outcome.Certainty;
import java.net.URI;
import java.net.http.HttpClient;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
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

  private final HeldLock.Surroundings with;
  private final Acquirer acquirer;
  private final Set<HeldLock> held = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  FencegateClient(Transport transport, LeaseKeeper.Parts parts, ClientTimeouts timeouts) {
    with = new HeldLock.Surroundings(transport, parts, timeouts, held::remove);
    acquirer = new Acquirer(with);
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Takes a lock and waits for the result. A lost or doubtful answer is repeated with the same
   * request id until the resolve time (see {@link Builder#acquireTimeout}) is over. While somebody
   * else holds the lock it is asked for again during the request's patience; the gateway's own
   * queue ({@code waitTimeoutMs}) is not used by this version, so waiting is not first come first
   * served. An interrupt ends the waiting and leaves the thread's interrupt flag set.
   */
  public AcquireResult acquire(AcquireRequest request) {
    if (closed.get()) {
      return closedResult();
    }
    AcquireResult result = acquirer.acquire(request);
    if (result instanceof AcquireResult.Held ours) {
      HeldLock lock = ours.lock();
      held.add(lock);
      if (lock.state().isLost()) {
        held.remove(lock);
      }
      if (closed.get()) {
        lock.close();
        return closedResult();
      }
    }
    return result;
  }

  private static AcquireResult closedResult() {
    return new AcquireResult.NotHeld(
        Problem.ofOwn("client-closed", "this client was closed", Certainty.REJECTED, false));
  }

  /** Gives back every lock that is still held and stops renewing. Idempotent. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    List<CompletableFuture<Boolean>> releases =
        List.copyOf(held).stream().map(HeldLock::release).toList();
    releases.forEach(CompletableFuture::join);
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
      timeouts =
          new ClientTimeouts(
              timeout, timeouts.request(), timeouts.resolveAcquire(), timeouts.repeatWrite());
      return this;
    }

    /** How long one request's whole answer may take; default 10 s. */
    public Builder requestTimeout(Duration timeout) {
      timeouts =
          new ClientTimeouts(
              timeouts.connect(), timeout, timeouts.resolveAcquire(), timeouts.repeatWrite());
      return this;
    }

    /** How long, beyond its patience, an acquire in doubt is repeated; default 20 s. */
    public Builder acquireTimeout(Duration timeout) {
      timeouts =
          new ClientTimeouts(
              timeouts.connect(), timeouts.request(), timeout, timeouts.repeatWrite());
      return this;
    }

    /** How long a write with an Idempotency-Key is repeated; default 20 s. */
    public Builder writeTimeout(Duration timeout) {
      timeouts =
          new ClientTimeouts(
              timeouts.connect(), timeouts.request(), timeouts.resolveAcquire(), timeout);
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
