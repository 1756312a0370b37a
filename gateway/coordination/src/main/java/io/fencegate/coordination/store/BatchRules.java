/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What every store accepts as a batch: the narrower of what the implementations can do, checked
 * before anything is sent, so that code which works with one works with the other.
 *
 * <ul>
 *   <li>at most {@link #MAX_MEMBERS} members, and {@link #MAX_WIDTH} for the widest of outer
 *       compares, members and {@code otherwise} together with the widest member;
 *   <li>at most {@link #MAX_BYTES} by {@link #bytes};
 *   <li>no key is written (put, touched or deleted) twice within a branch, nor by two members,
 *       whichever branches they take; the two branches of one member may write the same key;
 *   <li>the batch's {@code otherwise} only reads.
 * </ul>
 */
public final class BatchRules {

  /** Leaves a member 28 steps beside {@link #MAX_MEMBERS} members within {@link #MAX_WIDTH}. */
  public static final int MAX_MEMBERS = 100;

  /** etcd's default {@code --max-txn-ops}, which counts a transaction with the widest one in it. */
  public static final int MAX_WIDTH = 128;

  /** Below etcd's default {@code --max-request-bytes} of 1.5 MiB with room for its framing. */
  public static final int MAX_BYTES = 1 << 20;

  /** Revisions, lease ids, lengths and tags that go with a step on the wire. */
  private static final int STEP_OVERHEAD_BYTES = 32;

  private BatchRules() {}

  /** What is wrong with the batch, if anything. */
  public static Optional<String> violation(Batch batch) {
    int widest = batch.members().stream().mapToInt(Member::width).max().orElse(0);
    int outerWidth =
        Math.max(batch.members().size(), Math.max(batch.outer().size(), batch.otherwise().size()));
    if (batch.members().size() > MAX_MEMBERS) {
      return Optional.of(batch.members().size() + " members, at most " + MAX_MEMBERS);
    }
    if (outerWidth + widest > MAX_WIDTH) {
      return Optional.of(
          "width " + outerWidth + " with a member of width " + widest + ", at most " + MAX_WIDTH);
    }
    int bytes = bytes(batch);
    if (bytes > MAX_BYTES) {
      return Optional.of(bytes + " bytes, at most " + MAX_BYTES);
    }
    if (writes(batch.otherwise())) {
      return Optional.of("the batch's otherwise writes, it may only read");
    }
    return twiceWritten(batch).map(key -> "key " + key + " is written twice");
  }

  /** The size of a batch for {@link #MAX_BYTES}: keys, values and a fixed amount per step. */
  public static int bytes(Batch batch) {
    long bytes = compareBytes(batch.outer()) + opBytes(batch.otherwise());
    for (Member member : batch.members()) {
      bytes += bytes(member);
    }
    return (int) Math.min(bytes, Integer.MAX_VALUE);
  }

  /** What a member adds to {@link #bytes(Batch)}. */
  public static int bytes(Member member) {
    long bytes =
        STEP_OVERHEAD_BYTES
            + compareBytes(member.compares())
            + opBytes(member.then())
            + opBytes(member.otherwise());
    return (int) Math.min(bytes, Integer.MAX_VALUE);
  }

  private static Optional<Key> twiceWritten(Batch batch) {
    Map<Key, Integer> writers = new HashMap<>(4 * batch.members().size());
    for (int i = 0; i < batch.members().size(); i++) {
      Member member = batch.members().get(i);
      int branch = 2 * i;
      Optional<Key> twice =
          twiceWritten(writers, member.then(), branch)
              .or(() -> twiceWritten(writers, member.otherwise(), branch + 1));
      if (twice.isPresent()) {
        return twice;
      }
    }
    return Optional.empty();
  }

  /** Branches are numbered so that the two of one member differ in their last bit alone. */
  private static Optional<Key> twiceWritten(Map<Key, Integer> writers, List<Op> ops, int branch) {
    for (Op op : ops) {
      Optional<Key> key = op.fold(WRITTEN);
      Integer earlier = key.isPresent() ? writers.put(key.get(), branch) : null;
      if (earlier != null && (earlier == branch || earlier / 2 != branch / 2)) {
        return key;
      }
    }
    return Optional.empty();
  }

  private static boolean writes(List<Op> ops) {
    return ops.stream().anyMatch(op -> op.fold(WRITTEN).isPresent());
  }

  // Loops, since each of them runs for every step of every batch.

  private static long compareBytes(List<Compare> compares) {
    long bytes = 0;
    for (Compare compare : compares) {
      bytes += STEP_OVERHEAD_BYTES + compare.fold(COMPARE_BYTES);
    }
    return bytes;
  }

  private static long opBytes(List<Op> ops) {
    long bytes = 0;
    for (Op op : ops) {
      bytes += STEP_OVERHEAD_BYTES + op.fold(OP_BYTES);
    }
    return bytes;
  }

  private static int length(Key key) {
    return key.path().length();
  }

  private static int length(KeyRange range) {
    return length(range.from()) + length(range.to());
  }

  private static final Op.Cases<Optional<Key>> WRITTEN =
      new Op.Cases<>() {
        @Override
        public Optional<Key> put(Op.Put op) {
          return Optional.of(op.key());
        }

        @Override
        public Optional<Key> touch(Op.Touch op) {
          return Optional.of(op.key());
        }

        @Override
        public Optional<Key> delete(Op.Delete op) {
          return Optional.of(op.key());
        }

        @Override
        public Optional<Key> get(Op.Get op) {
          return Optional.empty();
        }

        @Override
        public Optional<Key> firstCreated(Op.FirstCreated op) {
          return Optional.empty();
        }
      };

  private static final Op.Cases<Integer> OP_BYTES =
      new Op.Cases<>() {
        @Override
        public Integer put(Op.Put op) {
          return length(op.key()) + op.value().length();
        }

        @Override
        public Integer touch(Op.Touch op) {
          return length(op.key());
        }

        @Override
        public Integer delete(Op.Delete op) {
          return length(op.key());
        }

        @Override
        public Integer get(Op.Get op) {
          return length(op.key());
        }

        @Override
        public Integer firstCreated(Op.FirstCreated op) {
          return length(op.range());
        }
      };

  private static final Compare.Cases<Integer> COMPARE_BYTES =
      new Compare.Cases<>() {
        @Override
        public Integer createdAt(Compare.CreatedAt compare) {
          return length(compare.key());
        }

        @Override
        public Integer modifiedAt(Compare.ModifiedAt compare) {
          return length(compare.key());
        }

        @Override
        public Integer valuePrefix(Compare.ValuePrefix compare) {
          // The prefix and its successor: a compare at either end.
          return 2 * (length(compare.key()) + compare.prefix().length());
        }

        @Override
        public Integer valueBelow(Compare.ValueBelow compare) {
          return length(compare.key()) + compare.bound().length();
        }

        @Override
        public Integer rangeEmpty(Compare.RangeEmpty compare) {
          return length(compare.range());
        }

        @Override
        public Integer rangeCreatedAfter(Compare.RangeCreatedAfter compare) {
          return length(compare.range());
        }
      };
}
