/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fencegate.coordination.cluster.GatewayKey;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.Value;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The secret that gateways share. */
class GatewayKeysTest extends CoordinationFixture {

  private static Future<GatewayKey> asking(Party party) {
    Promise<GatewayKey> promise = Promise.promise();
    party
        .context()
        .runOnContext(unused -> party.coordination().gatewayKeys().current().onComplete(promise));
    return promise.future();
  }

  @Test
  void allGatewaysHaveTheSameKeyWhoeverAsksFirst() {
    List<Future<GatewayKey>> asked = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      asked.add(asking(party()));
    }
    asked.add(asking(party()));
    assertThat(asked.stream().map(it -> await(it).sign("text")).distinct()).hasSize(1);
    assertThat(read(keys.gatewayKey()).orElseThrow().value().length()).isEqualTo(32);
    assertThat(read(keys.gatewayKey()).orElseThrow().lease()).isEqualTo(LeaseHandle.NONE);
  }

  @Test
  void aKeyIsNeverReplacedAndIsReadAgainOnceItWasForgotten() {
    Party party = party();
    String before = await(asking(party)).sign("text");
    long revision = read(keys.gatewayKey()).orElseThrow().modRevision();
    party.run(party.coordination().gatewayKeys()::forget);
    assertThat(await(asking(party)).sign("text")).isEqualTo(before);
    assertThat(read(keys.gatewayKey()).orElseThrow().modRevision()).isEqualTo(revision);
  }

  @Test
  void aKeyThatNoGatewayHasPutIsNotUsed() {
    put(keys.gatewayKey(), Value.of("short"));
    assertThat(failure(asking(party()))).hasMessageContaining("5 bytes");
  }

  @Test
  void whoeverDoesNotHearOfItsOwnPutHasTheSameKeyInTheEnd() {
    Party party = party();
    store.loseReply(batch -> writes(batch, keys.gatewayKey()));
    assertThat(failure(asking(party)).kind()).isEqualTo(StoreException.Kind.INDEFINITE);
    assertThat(await(asking(party)).sign("text")).isEqualTo(await(asking(party())).sign("text"));
  }

  private static StoreException failure(Future<GatewayKey> asked) {
    return (StoreException)
        assertThatExceptionOfType(CompletionException.class)
            .isThrownBy(() -> await(asked))
            .actual()
            .getCause();
  }

  @Test
  void aSignatureDependsOnEveryCharacterAndTheKeyIsNotShown() {
    GatewayKey key = await(asking(party()));
    assertThat(key.sign("a")).matches("[A-Za-z0-9_-]{43}").isNotEqualTo(key.sign("b"));
    assertThat(key).hasToString("GatewayKey[hidden]");
  }
}
