/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.fencegate.coordination.store.Batch;
import io.fencegate.coordination.store.BatchResult;
import io.fencegate.coordination.store.Entry;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.MemberResult;
import io.fencegate.coordination.store.OpResult;
import io.fencegate.coordination.store.Value;
import io.fencegate.coordination.store.WatchEvent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A batch as one transaction of etcd: the outer compares guard it, each member is a transaction
 * within it. etcd judges the compares of all of them before it runs any step.
 */
final class EtcdTransactions {

  private EtcdTransactions() {}

  static TxnRequest request(Batch batch) {
    TxnRequest.Builder request = TxnRequest.newBuilder();
    batch.outer().forEach(it -> request.addAllCompare(EtcdCompares.of(it)));
    for (Member member : batch.members()) {
      request.addSuccess(RequestOp.newBuilder().setRequestTxn(request(member)));
    }
    batch.otherwise().forEach(it -> request.addFailure(EtcdOps.of(it)));
    if (batch.outer().isEmpty()) {
      firstKey(request).map(EtcdTransactions::alwaysTrue).ifPresent(request::addCompare);
    }
    return request.build();
  }

  /**
   * etcd asks whether the user may touch the keys of the outer compares and steps, and never looks
   * into a transaction within. A batch without outer compares would run without any permission.
   */
  private static Compare alwaysTrue(ByteString key) {
    return Compare.newBuilder()
        .setKey(key)
        .setTarget(Compare.CompareTarget.VERSION)
        .setResult(Compare.CompareResult.GREATER)
        .setVersion(-1)
        .build();
  }

  private static Optional<ByteString> firstKey(TxnRequest.Builder batch) {
    return batch.getSuccessList().stream()
        .map(RequestOp::getRequestTxn)
        .flatMap(it -> Stream.concat(it.getSuccessList().stream(), it.getFailureList().stream()))
        .map(EtcdTransactions::key)
        .findFirst();
  }

  private static ByteString key(RequestOp op) {
    return switch (op.getRequestCase()) {
      case REQUEST_PUT -> op.getRequestPut().getKey();
      case REQUEST_DELETE_RANGE -> op.getRequestDeleteRange().getKey();
      default -> op.getRequestRange().getKey();
    };
  }

  private static TxnRequest request(Member member) {
    TxnRequest.Builder request = TxnRequest.newBuilder();
    member.compares().forEach(it -> request.addAllCompare(EtcdCompares.of(it)));
    member.then().forEach(it -> request.addSuccess(EtcdOps.of(it)));
    member.otherwise().forEach(it -> request.addFailure(EtcdOps.of(it)));
    return request.build();
  }

  /** The most that a batch does, whichever branches run. */
  static Effect effect(TxnRequest batch) {
    Effect most = Effect.NONE;
    for (RequestOp member : batch.getSuccessList()) {
      TxnRequest within = member.getRequestTxn();
      most = most(most, within.getSuccessList());
      most = most(most, within.getFailureList());
    }
    return most;
  }

  private static Effect most(Effect soFar, List<RequestOp> steps) {
    Effect most = soFar;
    for (RequestOp step : steps) {
      Effect effect =
          switch (step.getRequestCase()) {
            case REQUEST_PUT -> Effect.PUTS;
            case REQUEST_DELETE_RANGE -> Effect.DELETES;
            default -> Effect.NONE;
          };
      most = effect.compareTo(most) > 0 ? effect : most;
    }
    return most;
  }

  static BatchResult result(TxnResponse response) {
    long revision = response.getHeader().getRevision();
    if (!response.getSucceeded()) {
      return new BatchResult.Fenced(revision, results(response.getResponsesList()));
    }
    List<MemberResult> members =
        response.getResponsesList().stream()
            .map(ResponseOp::getResponseTxn)
            .map(it -> new MemberResult(it.getSucceeded(), results(it.getResponsesList())))
            .toList();
    return new BatchResult.Committed(revision, members);
  }

  private static List<OpResult> results(List<ResponseOp> responses) {
    return responses.stream().map(EtcdTransactions::result).toList();
  }

  private static OpResult result(ResponseOp response) {
    if (!response.hasResponseRange()) {
      return new OpResult.Done();
    }
    List<KeyValue> found = response.getResponseRange().getKvsList();
    return new OpResult.Found(entries(found).stream().findFirst());
  }

  /** The entries with keys of ours; somebody else's in the same range are passed over. */
  static List<Entry> entries(List<KeyValue> found) {
    return found.stream()
        .flatMap(it -> key(it.getKey()).map(key -> entry(key, it)).stream())
        .toList();
  }

  private static Entry entry(Key key, KeyValue found) {
    return new Entry(
        key,
        Value.of(found.getValue().toByteArray()),
        found.getCreateRevision(),
        found.getModRevision(),
        new LeaseHandle(found.getLease()));
  }

  /** An event of a watch; none for a key that somebody else made and that is no key here. */
  static Optional<WatchEvent> event(Event event) {
    KeyValue changed = event.getKv();
    return key(changed.getKey())
        .map(
            key ->
                event.getType() == Event.EventType.DELETE
                    ? new WatchEvent.Deleted(key, changed.getModRevision())
                    : new WatchEvent.Changed(entry(key, changed)));
  }

  private static Optional<Key> key(ByteString bytes) {
    String path = bytes.toString(StandardCharsets.ISO_8859_1);
    return Key.isKey(path) ? Optional.of(new Key(path)) : Optional.empty();
  }

  static ByteString bytes(Key key) {
    return ByteString.copyFromUtf8(key.path());
  }

  static ByteString bytes(Value value) {
    return ByteString.copyFrom(value.read());
  }
}
