/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/**
 * One step of a transaction's branch. Reads see what earlier steps of the same branch wrote, and
 * what the branches of earlier members did.
 */
public sealed interface Op {

  /** One answer per kind of step. */
  interface Cases<T> {
    T put(Put op);

    T touch(Touch op);

    T delete(Delete op);

    T get(Get op);

    T firstCreated(FirstCreated op);
  }

  <T> T fold(Cases<T> cases);

  /** Puts a value and attaches the key to {@code lease}; creates the key where it is absent. */
  record Put(Key key, Value value, LeaseHandle lease) implements Op {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.put(this);
    }
  }

  /**
   * Moves a key to another lease. Value and create revision stay, the modification revision moves.
   * On an absent key the whole batch is refused, so a touch stands behind a compare.
   */
  record Touch(Key key, LeaseHandle lease) implements Op {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.touch(this);
    }
  }

  /** Deletes a key; nothing happens where it is absent. */
  record Delete(Key key) implements Op {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.delete(this);
    }
  }

  record Get(Key key) implements Op {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.get(this);
    }
  }

  /** The key of a range with the lowest create revision. */
  record FirstCreated(KeyRange range) implements Op {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.firstCreated(this);
    }
  }
}
