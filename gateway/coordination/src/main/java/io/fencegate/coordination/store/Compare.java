/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/**
 * A condition of a transaction, judged on the state before the whole batch. An absent key has
 * create and modification revision 0; a compare on its value is false.
 */
public sealed interface Compare {

  /** One answer per kind of condition. */
  interface Cases<T> {
    T createdAt(CreatedAt compare);

    T modifiedAt(ModifiedAt compare);

    T valuePrefix(ValuePrefix compare);

    T valueBelow(ValueBelow compare);

    T rangeEmpty(RangeEmpty compare);

    T rangeCreatedAfter(RangeCreatedAfter compare);
  }

  <T> T fold(Cases<T> cases);

  /** The key was created at this revision; 0: the key is absent. */
  record CreatedAt(Key key, long revision) implements Compare {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.createdAt(this);
    }
  }

  /** The key was last put or touched at this revision; 0: the key is absent. */
  record ModifiedAt(Key key, long revision) implements Compare {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.modifiedAt(this);
    }
  }

  /** The value starts with {@code prefix} and is longer than it. */
  record ValuePrefix(Key key, Value prefix) implements Compare {
    public ValuePrefix {
      byte[] bytes = prefix.toBytes();
      boolean hasSuccessor = false;
      for (byte b : bytes) {
        hasSuccessor |= b != (byte) 0xff;
      }
      if (!hasSuccessor) {
        throw new IllegalArgumentException("a prefix needs a byte that is not 0xff");
      }
    }

    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.valuePrefix(this);
    }
  }

  /** The value is less than {@code bound}, byte by byte. */
  record ValueBelow(Key key, Value bound) implements Compare {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.valueBelow(this);
    }
  }

  /** There is no key in the range. */
  record RangeEmpty(KeyRange range) implements Compare {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.rangeEmpty(this);
    }
  }

  /**
   * Every key in the range was created after this revision (0 or more). False for an empty range,
   * which counts as created at 0.
   */
  record RangeCreatedAfter(KeyRange range, long revision) implements Compare {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.rangeCreatedAfter(this);
    }
  }

  static Compare absent(Key key) {
    return new CreatedAt(key, 0);
  }
}
