/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.embedded.TestClocks;
import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.coordination.etcd.EtcdStore;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.policy.time.ClockReading;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class EtcdLockModelIT extends LockModelContract {

  private static EtcdCluster cluster;

  private final HttpClient http = HttpClient.newHttpClient();
  private Optional<WarpedStore> warped = Optional.empty();

  @BeforeAll
  static void startEtcd() {
    cluster = EtcdCluster.start(1);
  }

  @AfterAll
  static void stopEtcd() {
    cluster.close();
  }

  @Override
  CoordinationStore open(Vertx vertx, TestClocks clocks) {
    CoordinationStore store =
        World.await(
            EtcdStore.open(
                vertx,
                EtcdSettings.of(cluster.endpoints()),
                () -> new ClockReading(System.nanoTime(), System.currentTimeMillis()),
                () -> ThreadLocalRandom.current().nextDouble()));
    WarpedStore warping = new WarpedStore(store, clocks);
    warped = Optional.of(warping);
    return warping;
  }

  /** etcd has its own time: what has run out on the test's clocks is ended by hand. */
  @Override
  void timePassed() {
    warped.orElseThrow().takeEnded().forEach(this::revoke);
  }

  private void revoke(LeaseHandle lease) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(cluster.node(0).endpoint() + "/v3/lease/revoke"))
            .timeout(Duration.ofSeconds(20))
            .POST(HttpRequest.BodyPublishers.ofString("{\"ID\":\"" + lease.id() + "\"}"))
            .build();
    try {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      boolean done = answer.statusCode() == 200 || answer.body().contains("lease not found");
      assertThat(done).as("revoked: %s", answer.body()).isTrue();
    } catch (IOException e) {
      throw new AssertionError("cannot revoke " + lease, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** A bucket's second, a slow answer, and etcd looks for leases to end twice a second. */
  @Override
  Duration lateness() {
    return Duration.ofSeconds(5);
  }
}
