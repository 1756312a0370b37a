/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.etcd.EtcdSettings.Identity;
import io.fencegate.coordination.etcd.EtcdSettings.Tls;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.StoreException.Kind;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdOptions;
import io.fencegate.lab.LabCertificates;
import io.fencegate.lab.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An etcd that wants certificates. */
class EtcdTlsIT extends EtcdFixture {

  @TempDir Path directory;

  @Test
  void bothSidesShowTheirCertificates() {
    TlsFiles files = LabCertificates.make(directory);
    EtcdCluster cluster = cluster(EtcdOptions.ofNodes(1).withTls(files));
    EtcdSettings plain =
        EtcdSettings.of(cluster.endpoints()).withCallDeadline(Duration.ofSeconds(3));
    Optional<Identity> identity = Optional.of(new Identity(files.cert(), files.key()));

    CoordinationStore store = store(plain.withTls(new Tls(Optional.of(files.ca()), identity)));
    commit(store, put("a", "1"));
    assertThat(await(store.health()).quorum()).isTrue();

    CoordinationStore distrusting = store(plain.withTls(new Tls(Optional.empty(), identity)));
    assertThat(failure(distrusting.commit(batch(put("b", "1")))).kind()).isEqualTo(Kind.DEFINITE);
    CoordinationStore nameless =
        store(plain.withTls(new Tls(Optional.of(files.ca()), Optional.empty())));
    assertThat(succeeds(nameless.commit(batch(put("b", "1"))))).isFalse();
    assertThat(read(store, "b")).isEmpty();
  }

  @Test
  void filesThatAreNoUseAreSaidAtOnce() {
    EtcdSettings settings =
        EtcdSettings.of(java.util.List.of("https://127.0.0.1:1"))
            .withTls(new Tls(Optional.of(directory.resolve("none.pem")), Optional.empty()));
    assertThat(failure(EtcdStores.open(vertx, settings))).hasMessageContaining("none.pem");
  }
}
