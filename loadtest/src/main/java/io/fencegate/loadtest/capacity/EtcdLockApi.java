/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.lock.LockGrpc;
import io.etcd.jetcd.api.lock.LockRequest;
import io.etcd.jetcd.api.lock.LockResponse;
import io.etcd.jetcd.api.lock.UnlockRequest;
import io.etcd.jetcd.api.lock.UnlockResponse;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.URI;
import java.util.function.Consumer;

/**
 * Locks through etcd's own lock API: one lease that lives all the time, a call to lock and one to
 * unlock, all over one connection.
 */
final class EtcdLockApi implements Cycles, AutoCloseable {

  private static final long LEASE_SECONDS = 3_600;

  private final Context context;
  private final ManagedChannel channel;
  private final LockGrpc.LockStub locks;
  private final long lease;

  EtcdLockApi(Context context, String endpoint) {
    this.context = context;
    URI uri = URI.create(endpoint);
    this.channel =
        Grpc.newChannelBuilder(
                uri.getHost() + ":" + uri.getPort(), InsecureChannelCredentials.create())
            .build();
    this.locks = LockGrpc.newStub(channel);
    this.lease =
        LeaseGrpc.newBlockingStub(channel)
            .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(LEASE_SECONDS).build())
            .getID();
  }

  @Override
  public String name() {
    return "etcd's own lock API";
  }

  @Override
  public Future<Void> cycle(long number) {
    LockRequest lock =
        LockRequest.newBuilder()
            .setName(ByteString.copyFromUtf8("own/" + number % 100_000))
            .setLease(lease)
            .build();
    Future<LockResponse> locked = ask(to -> locks.lock(lock, to));
    return locked
        .compose(
            held -> {
              UnlockRequest unlock = UnlockRequest.newBuilder().setKey(held.getKey()).build();
              Future<UnlockResponse> unlocked = ask(to -> locks.unlock(unlock, to));
              return unlocked;
            })
        .mapEmpty();
  }

  private <T> Future<T> ask(Consumer<StreamObserver<T>> call) {
    Promise<T> promise = Promise.promise();
    call.accept(
        new StreamObserver<>() {
          @Override
          public void onNext(T value) {
            context.runOnContext(unused -> promise.tryComplete(value));
          }

          @Override
          public void onError(Throwable failure) {
            context.runOnContext(unused -> promise.tryFail(failure));
          }

          @Override
          public void onCompleted() {
            // The value was all.
          }
        });
    return promise.future();
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
