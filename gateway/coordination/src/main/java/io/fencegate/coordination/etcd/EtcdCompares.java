/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare.CompareResult;
import io.etcd.jetcd.api.Compare.CompareTarget;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.KeyRange;
import io.fencegate.coordination.store.Value;
import java.util.List;

/**
 * Conditions in etcd's words. etcd judges a compare with a range for every key in it, and an empty
 * range like a key with create revision 0; a compare of an absent key's value is false.
 */
final class EtcdCompares {

  private EtcdCompares() {}

  static List<io.etcd.jetcd.api.Compare> of(Compare compare) {
    return compare.fold(TRANSLATION);
  }

  private static final Compare.Cases<List<io.etcd.jetcd.api.Compare>> TRANSLATION =
      new Compare.Cases<>() {
        @Override
        public List<io.etcd.jetcd.api.Compare> createdAt(Compare.CreatedAt compare) {
          return List.of(
              on(compare.key(), CompareTarget.CREATE, CompareResult.EQUAL)
                  .setCreateRevision(compare.revision())
                  .build());
        }

        @Override
        public List<io.etcd.jetcd.api.Compare> modifiedAt(Compare.ModifiedAt compare) {
          return List.of(
              on(compare.key(), CompareTarget.MOD, CompareResult.EQUAL)
                  .setModRevision(compare.revision())
                  .build());
        }

        /** Exactly the values above the prefix and below its successor extend it. */
        @Override
        public List<io.etcd.jetcd.api.Compare> valuePrefix(Compare.ValuePrefix compare) {
          return List.of(
              on(compare.key(), CompareTarget.VALUE, CompareResult.GREATER)
                  .setValue(EtcdTransactions.bytes(compare.prefix()))
                  .build(),
              on(compare.key(), CompareTarget.VALUE, CompareResult.LESS)
                  .setValue(successor(compare.prefix()))
                  .build());
        }

        @Override
        public List<io.etcd.jetcd.api.Compare> valueBelow(Compare.ValueBelow compare) {
          return List.of(
              on(compare.key(), CompareTarget.VALUE, CompareResult.LESS)
                  .setValue(EtcdTransactions.bytes(compare.bound()))
                  .build());
        }

        @Override
        public List<io.etcd.jetcd.api.Compare> rangeEmpty(Compare.RangeEmpty compare) {
          return List.of(
              onRange(compare.range(), CompareResult.EQUAL).setCreateRevision(0).build());
        }

        @Override
        public List<io.etcd.jetcd.api.Compare> rangeCreatedAfter(
            Compare.RangeCreatedAfter compare) {
          return List.of(
              onRange(compare.range(), CompareResult.GREATER)
                  .setCreateRevision(compare.revision())
                  .build());
        }
      };

  private static io.etcd.jetcd.api.Compare.Builder on(
      Key key, CompareTarget target, CompareResult result) {
    return io.etcd.jetcd.api.Compare.newBuilder()
        .setKey(EtcdTransactions.bytes(key))
        .setTarget(target)
        .setResult(result);
  }

  private static io.etcd.jetcd.api.Compare.Builder onRange(KeyRange range, CompareResult result) {
    return on(range.from(), CompareTarget.CREATE, result)
        .setRangeEnd(EtcdTransactions.bytes(range.to()));
  }

  /** The least value above every value with this prefix, which has a byte below 0xff. */
  private static ByteString successor(Value prefix) {
    byte[] bytes = prefix.toBytes();
    int last = bytes.length - 1;
    while (bytes[last] == (byte) 0xff) {
      last--;
    }
    bytes[last]++;
    return ByteString.copyFrom(bytes, 0, last + 1);
  }
}
