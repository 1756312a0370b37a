/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.embedded;

import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.CoordinationStoreContract;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedStoreContractTest extends CoordinationStoreContract {

  @TempDir Path directory;

  @Override
  protected CoordinationStore openStore(Vertx vertx) {
    return await(EmbeddedStore.open(vertx, directory.resolve("data"), new TestClocks()));
  }
}
