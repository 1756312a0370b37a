/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.fencegate.coordination.store.Op;

/** The steps of a branch in etcd's words. */
final class EtcdOps {

  private EtcdOps() {}

  static RequestOp of(Op op) {
    return op.fold(TRANSLATION);
  }

  private static final Op.Cases<RequestOp> TRANSLATION =
      new Op.Cases<>() {
        @Override
        public RequestOp put(Op.Put op) {
          return put(
              PutRequest.newBuilder()
                  .setKey(EtcdTransactions.bytes(op.key()))
                  .setValue(EtcdTransactions.bytes(op.value()))
                  .setLease(op.lease().id()));
        }

        /** A put that leaves the value as it is; etcd refuses it where the key is absent. */
        @Override
        public RequestOp touch(Op.Touch op) {
          return put(
              PutRequest.newBuilder()
                  .setKey(EtcdTransactions.bytes(op.key()))
                  .setIgnoreValue(true)
                  .setLease(op.lease().id()));
        }

        @Override
        public RequestOp delete(Op.Delete op) {
          return RequestOp.newBuilder()
              .setRequestDeleteRange(
                  DeleteRangeRequest.newBuilder().setKey(EtcdTransactions.bytes(op.key())))
              .build();
        }

        @Override
        public RequestOp get(Op.Get op) {
          return read(RangeRequest.newBuilder().setKey(EtcdTransactions.bytes(op.key())));
        }

        @Override
        public RequestOp firstCreated(Op.FirstCreated op) {
          return read(
              RangeRequest.newBuilder()
                  .setKey(EtcdTransactions.bytes(op.range().from()))
                  .setRangeEnd(EtcdTransactions.bytes(op.range().to()))
                  .setSortTarget(RangeRequest.SortTarget.CREATE)
                  .setSortOrder(RangeRequest.SortOrder.ASCEND)
                  .setLimit(1));
        }

        private static RequestOp put(PutRequest.Builder put) {
          return RequestOp.newBuilder().setRequestPut(put).build();
        }

        private static RequestOp read(RangeRequest.Builder read) {
          return RequestOp.newBuilder().setRequestRange(read).build();
        }
      };
}
