/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.StoreException.Kind;
import io.fencegate.coordination.store.StoreHealth;
import io.fencegate.coordination.store.Value;
import io.fencegate.lab.EtcdCluster;
import io.fencegate.lab.EtcdOptions;
import org.junit.jupiter.api.Test;

/** An etcd that runs full. */
class EtcdSpaceIT extends EtcdFixture {

  private static final long QUOTA_BYTES = 1 << 20;
  private static final int VALUE_BYTES = 16 << 10;

  @Test
  void aFullEtcdTakesDeletesOnly() {
    EtcdCluster cluster = cluster(EtcdOptions.ofNodes(1).withQuotaBytes(QUOTA_BYTES));
    CoordinationStore store =
        store(EtcdSettings.of(cluster.endpoints()).withQuotaBytes(QUOTA_BYTES));
    fill(store);
    // Leases are what etcd counts, and what nothing is granted without.
    eventually(() -> assertThat(failure(store.grant(60)).kind()).isEqualTo(Kind.NO_SPACE));
    eventually(
        () ->
            assertThat(failure(store.commit(batch(put("small", "1")))).kind())
                .isEqualTo(Kind.NO_SPACE));
    commit(store, new Op.Get(key("fill/0")));
    commit(store, new Op.Delete(key("fill/0")));
    assertThat(await(store.range(ALL, 1)).entries()).hasSize(1);
    assertThat(read(store, "small")).isEmpty();
    StoreHealth.Space space = await(store.health()).space();
    assertThat(space.exhausted()).isTrue();
    assertThat(space.usedRatio()).isGreaterThan(0.8);

    cluster.compact(await(store.range(ALL, 1)).revision());
    cluster.defragment();
    cluster.etcdctl("alarm", "disarm");
    untilCommitted(store, "again");
    eventually(() -> assertThat(await(store.health()).space().exhausted()).isFalse());
  }

  private void fill(CoordinationStore store) {
    Value large = Value.of(new byte[VALUE_BYTES]);
    for (int i = 0; i < 2 * QUOTA_BYTES / VALUE_BYTES; i++) {
      commit(store, new Op.Put(key("fill/" + i), large, LeaseHandle.NONE));
    }
  }
}
