/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.lock.Grant;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Op;
import io.fencegate.coordination.store.Value;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys that begin like a lock's own are not the lock's. */
class StrayKeysTest extends CoordinationFixture {

  private static final List<String> ALIKE =
      List.of("acct", "acct/1", "acct/10", "acct/1/x", "acct1", "ACCT", "acct-", "acct~", "acc");

  private static final Value BY_HAND = Value.of("put by hand");

  private Grant hold(Party party, String resource) {
    return granted(party.acquire(request(resource, "holder"), deadline()));
  }

  private void put(String path) {
    put(new Key(keys.locks().from().path().replaceAll("lock/$", "") + path), BY_HAND);
  }

  @Test
  void eachOfTheNamesThatBeginAlikeIsGrantedWhileAllOthersAreHeldAndWaitedFor() {
    Party party = party();
    for (String last : ALIKE) {
      List<Grant> held = new ArrayList<>();
      List<Waiting> waiting = new ArrayList<>();
      for (String name : ALIKE) {
        if (!name.equals(last)) {
          held.add(granted(party.acquire(request(name, "h-" + ALIKE.indexOf(last)), deadline())));
          waiting.add(queued(party, name, "w-" + ALIKE.indexOf(last)));
        }
      }
      Grant free = granted(party.acquire(request(last, "f-" + ALIKE.indexOf(last)), deadline()));
      release(party, free);
      waiting.forEach(Waiting::abandon);
      waiting.forEach(Waiting::answer);
      held.forEach(grant -> release(party, grant));
    }
  }

  @Test
  void keysPutByHandBesideALockAndItsQueueAreIgnored() {
    Party party = party();
    for (String path :
        List.of(
            "lock/acct/1",
            "lock/acct%2f1",
            "lock/acct%",
            "lock/acct%2F",
            "lock/%2F",
            "lock/",
            "wait/",
            "wait/acct",
            "wait/acct%2F1",
            "wait/acct1/x",
            "acct",
            "acct/1")) {
      put(path);
    }
    Grant held = hold(party, "acct");
    Waiting waiting = queued(party(), "acct", "r1");
    hold(party, "acct/1");
    release(party, held);
    granted(waiting.answer());
  }

  @Test
  void aKeyPutByHandIntoAQueueIsNotWaitedFor() {
    Party party = party();
    put("wait/acct/by-hand");
    Waiting waiting =
        party.acquire(request("acct", "r1"), patience(Duration.ofSeconds(5)), deadline());
    assertThat(granted(waiting.answer()).remainingMillis()).isPositive();
  }

  @Test
  void aKeyPutByHandBetweenThoseWhoWaitHoldsUpNobody() {
    Party party = party();
    Grant held = hold(party, "acct");
    Waiting first = queued(party, "acct", "r1");
    put("wait/acct/by-hand");
    Waiting second = queued(party(), "acct", "r2");
    release(party, held);
    Grant next = granted(first.answer());
    release(party, next);
    assertThat(granted(second.answer()).token().isAbove(next.token())).isTrue();
  }

  @Test
  void nobodyIsGrantedALockThatWasPutByHandUntilItIsRemoved() {
    Party party = party();
    put("lock/acct");
    Refusal refusal = refused(party.acquire(request("acct", "r1"), deadline()));
    assertThat(refusal.code()).isEqualTo(RefusalCode.COORDINATOR_UNAVAILABLE);
    assertThat(refusal.detail()).contains("cannot be read");
    commit(new Op.Delete(keys.lock(resource("acct"))));
    hold(party, "acct");
  }
}
