/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.lab.EtcdOptions;
import io.fencegate.server.ApiClient;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An etcd with users, whose tokens run out soon. */
class LoginFaultsIT extends FaultFixture {

  private static final int TOKEN_TTL_SECONDS = FULL ? 10 : 2;
  private static final String PASSWORD = "gate-secret";

  @BeforeEach
  void startEtcdWithUsers() {
    etcd(EtcdOptions.ofNodes(1).withAuthTokenTtlSeconds(TOKEN_TTL_SECONDS));
    etcd.etcdctl("user", "add", "root:root-secret");
    etcd.etcdctl("user", "grant-role", "root", "root");
    etcd.etcdctl("role", "add", "gate");
    String all = EtcdGateway.PREFIX;
    etcd.etcdctl("role", "grant-permission", "gate", "--prefix=true", "readwrite", all);
    etcd.etcdctl("user", "add", "gate:" + PASSWORD);
    etcd.etcdctl("user", "grant-role", "gate", "gate");
    etcd.etcdctl("auth", "enable");
  }

  @Override
  boolean remembersRequests() {
    return false;
  }

  private EtcdSettings login(String password) {
    return EtcdSettings.of(etcd.endpoints()).withLogin("gate", password);
  }

  @Test
  void callersNeverSeeThatTokensRunOutAndThatARestartedEtcdForgotThem() throws IOException {
    gateway(login(PASSWORD));
    gateway(login(PASSWORD));
    Lock lock = worker(0).lock("jobs/a", 30_000);
    lasting(Duration.ofSeconds(2L * TOKEN_TTL_SECONDS + 1));
    CompletableFuture<Answer> other = waits("jobs/a");
    assertThat(worker(0).renew(lock).status()).isEqualTo(200);
    lasting(Duration.ofSeconds(2L * TOKEN_TTL_SECONDS + 1));
    assertThat(worker(0).release(lock).status()).isEqualTo(200);
    Answer granted = other.orTimeout(HEALED.toSeconds(), TimeUnit.SECONDS).join();
    assertThat(granted.status()).as(granted.toString()).isEqualTo(200);
    CompletableFuture<Answer> next = waits("jobs/a");
    etcd.node(0).kill();
    etcd.startAll();
    within(HEALED, () -> worker(1).release(ApiClient.lock(granted)).status() == 200);
    Answer last = next.orTimeout(HEALED.toSeconds(), TimeUnit.SECONDS).join();
    assertThat(last.status()).as(last.toString()).isEqualTo(200);
  }

  private CompletableFuture<Answer> waits(String resource) {
    int before = worker(1).show(resource).getInteger("waiters");
    CompletableFuture<Answer> coming =
        inBackground(() -> worker(1).acquire(Worker.request(resource, 30_000, 50_000)));
    eventually(() -> worker(1).show(resource).getInteger("waiters") == before + 1);
    return coming;
  }

  @Test
  void aWrongPasswordMakesAGatewayUnreadyWithTheCauseAndIsNotTriedAllTheTime() throws IOException {
    EtcdGateway gateway = unreadyGateway(login("wrong-secret"));
    eventually(() -> gateway.operator().get("/readyz").body().contains("refuses user gate"));
    Answer ready = gateway.operator().get("/readyz");
    assertThat(ready.status()).isEqualTo(503);
    assertThat(ready.body()).doesNotContain("wrong-secret");
    assertThat(gateway.operator().get("/livez").status()).isEqualTo(200);
    double before = etcd.node(0).metric("etcd_server_proposals_committed_total");
    for (int i = 0; i < 100; i++) {
      Answer refused = worker(0).tryAcquire("jobs/a", 5_000);
      assertThat(refused.status()).as(refused.toString()).isEqualTo(503);
      assertThat(refused.body()).doesNotContain("wrong-secret");
    }
    assertThat(etcd.node(0).metric("etcd_server_proposals_committed_total") - before)
        .as("every login is a proposal")
        .isLessThan(60);
  }

  @Test
  void aRoleThatIsTakenAwayIsToldAndServiceIsBackOnceItIsGiven() throws IOException {
    EtcdGateway gateway = gateway(login(PASSWORD));
    Lock lock = worker(0).lock("jobs/a", 30_000);
    String root = "--user=root:root-secret";
    etcd.etcdctl(root, "user", "revoke-role", "gate", "gate");
    Answer renewed = worker(0).renew(lock);
    assertThat(renewed.status()).as(renewed.toString()).isEqualTo(503);
    eventually(() -> gateway.operator().get("/readyz").body().contains("permission denied"));
    etcd.etcdctl(root, "user", "grant-role", "gate", "gate");
    within(HEALED, () -> worker(0).renew(lock).status() == 200);
  }
}
