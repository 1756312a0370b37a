/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.fencegate.coordination.store.CoordinationStore;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.LeaseTtl;
import io.fencegate.coordination.store.StoreException;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A node that speaks etcd's protocol and answers as one does that has just lost the lead. */
class EtcdAbsurdAnswersTest extends EtcdFixture {

  private static final long FOR_EVER_SECONDS = 9_223_372_036L;
  private static final ResponseHeader HEADER =
      ResponseHeader.newBuilder().setClusterId(1).setMemberId(2).build();
  private static final LeaseHandle LEASE = new LeaseHandle(7);

  private final AtomicInteger absurdAnswersLeft = new AtomicInteger();

  private CoordinationStore store(Duration deadline) throws IOException {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Status())
            .addService(new Leases())
            .build()
            .start();
    closing(() -> server.shutdownNow().awaitTermination());
    return store(
        EtcdSettings.of(List.of("http://127.0.0.1:" + server.getPort()))
            .withCallDeadline(deadline));
  }

  @Test
  void anAbsurdTimeToLiveIsAskedForAgain() throws IOException {
    absurdAnswersLeft.set(2);
    assertThat(await(store(Duration.ofSeconds(5)).timeToLive(LEASE)))
        .isEqualTo(new LeaseTtl.Alive(6));
    assertThat(absurdAnswersLeft).hasNonPositiveValue();
  }

  @Test
  void whereEveryAnswerIsAbsurdThereIsNoneWithinTheDeadline() throws IOException {
    CoordinationStore store = store(Duration.ofSeconds(1));
    eventually(() -> assertThat(succeeds(store.timeToLive(LEASE))).as("connected").isTrue());
    absurdAnswersLeft.set(Integer.MAX_VALUE);
    StoreException failure = failure(store.timeToLive(LEASE));
    assertThat(failure.kind()).isEqualTo(StoreException.Kind.DEFINITE);
    assertThat(failure).hasMessageContaining("makes no sense");
  }

  private static final class Status extends MaintenanceGrpc.MaintenanceImplBase {
    @Override
    public void status(StatusRequest request, StreamObserver<StatusResponse> answer) {
      answer.onNext(StatusResponse.newBuilder().setHeader(HEADER).setLeader(2).build());
      answer.onCompleted();
    }
  }

  private final class Leases extends LeaseGrpc.LeaseImplBase {
    @Override
    public void leaseTimeToLive(
        LeaseTimeToLiveRequest request, StreamObserver<LeaseTimeToLiveResponse> answer) {
      boolean absurd = absurdAnswersLeft.getAndDecrement() > 0;
      answer.onNext(
          LeaseTimeToLiveResponse.newBuilder()
              .setHeader(HEADER)
              .setID(request.getID())
              .setTTL(absurd ? FOR_EVER_SECONDS : 6)
              .setGrantedTTL(11)
              .build());
      answer.onCompleted();
    }
  }
}
