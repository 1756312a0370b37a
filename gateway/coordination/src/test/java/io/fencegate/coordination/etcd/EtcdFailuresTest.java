/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.etcd.EtcdFailures.Fate;
import io.fencegate.coordination.store.StoreException.Kind;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdFailuresTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Said before the request runs, or instead of running it.
        "NOT_FOUND | etcdserver: requested lease not found | LEASE_GONE",
        "INVALID_ARGUMENT | etcdserver: duplicate key given in txn request | DEFINITE",
        "INVALID_ARGUMENT | etcdserver: key not found | DEFINITE",
        "INVALID_ARGUMENT | etcdserver: too many operations in txn request | DEFINITE",
        "INVALID_ARGUMENT | etcdserver: request is too large | DEFINITE",
        "RESOURCE_EXHAUSTED | etcdserver: too many requests | DEFINITE",
        "PERMISSION_DENIED | etcdserver: permission denied | DEFINITE",
        "UNAUTHENTICATED | etcdserver: invalid auth token | TOKEN_REFUSED",
        "INVALID_ARGUMENT | etcdserver: revision of auth store is old | TOKEN_REFUSED",
        "INVALID_ARGUMENT | etcdserver: user name is empty | TOKEN_REFUSED",
        "UNAVAILABLE | etcdserver: not capable | NOT_TAKEN",
        "UNAVAILABLE | etcdserver: rpc not supported for learner | NOT_TAKEN",
        // May have been carried out, or may be later.
        "UNAVAILABLE | etcdserver: request timed out | INDEFINITE",
        "UNAVAILABLE | etcdserver: request timed out, possibly due to connection lost | INDEFINITE",
        "UNAVAILABLE | etcdserver: no leader | INDEFINITE",
        "UNAVAILABLE | etcdserver: leader changed | INDEFINITE",
        "UNAVAILABLE | etcdserver: server stopped | INDEFINITE",
        "UNAVAILABLE | io exception | INDEFINITE",
        "UNAVAILABLE | Network closed for unknown reason | INDEFINITE",
        "DEADLINE_EXCEEDED | deadline exceeded after 5s | INDEFINITE",
        "CANCELLED | 127.0.0.1:2379 does not answer | INDEFINITE",
        "UNKNOWN | etcdserver: something new | INDEFINITE",
        "INTERNAL | RST_STREAM closed stream | INDEFINITE",
        // The same codes from something between here and etcd prove nothing.
        "PERMISSION_DENIED | HTTP status code 403 | INDEFINITE",
        "UNAUTHENTICATED | HTTP status code 401 | INDEFINITE",
        "RESOURCE_EXHAUSTED | gRPC message exceeds maximum size | INDEFINITE",
      })
  void everyFailureIsSorted(Status.Code code, String text, Fate fate) {
    assertThat(EtcdFailures.sort(code.toStatus().withDescription(text), false)).isEqualTo(fate);
  }

  @Test
  void lackOfSpaceIsDefiniteOnlyWhereTheAlarmWasOnBefore() {
    Status full =
        Status.RESOURCE_EXHAUSTED.withDescription("etcdserver: mvcc: database space exceeded");
    assertThat(EtcdFailures.sort(full, true)).isEqualTo(Fate.NO_SPACE);
    assertThat(EtcdFailures.sort(full, false)).isEqualTo(Fate.INDEFINITE);
  }

  @Test
  void aStatusWithoutTextProvesNothing() {
    assertThat(EtcdFailures.sort(Status.INVALID_ARGUMENT, true)).isEqualTo(Fate.INDEFINITE);
  }

  @Test
  void aReadIsNeverInDoubt() {
    assertThat(EtcdFailures.kind(Fate.INDEFINITE, Effect.NONE)).isEqualTo(Kind.DEFINITE);
    assertThat(EtcdFailures.kind(Fate.INDEFINITE, Effect.HARMLESS)).isEqualTo(Kind.INDEFINITE);
    assertThat(EtcdFailures.kind(Fate.INDEFINITE, Effect.PUTS)).isEqualTo(Kind.INDEFINITE);
  }
}
