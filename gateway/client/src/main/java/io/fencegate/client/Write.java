/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import io.fencegate.policy.name.IdempotencyKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is to be written under a lock: one operation, or several in one transaction. Immutable.
 *
 * <p>With an Idempotency-Key the SDK repeats a write whose answer was lost, and the gateway applies
 * it at most once. Without one it is sent exactly once, whatever happens.
 */
public final class Write {

  private final List<Operation> operations;
  private final @Nullable IdempotencyKey key;
  private final boolean bypassesLocalCheck;

  private Write(
      List<Operation> operations, @Nullable IdempotencyKey key, boolean bypassesLocalCheck) {
    this.operations = operations;
    this.key = key;
    this.bypassesLocalCheck = bypassesLocalCheck;
  }

  /** A write of these operations, all or nothing. */
  public static Write of(Operation first, Operation... more) {
    List<Operation> all = new ArrayList<>();
    all.add(first);
    all.addAll(Arrays.asList(more));
    return new Write(List.copyOf(all), null, false);
  }

  /**
   * The same write, applied at most once under this key.
   *
   * @throws IllegalArgumentException unless it is 1 to 128 visible ASCII characters
   */
  public Write withIdempotencyKey(String text) {
    return new Write(operations, IdempotencyKey.parse(text).orThrow(), bypassesLocalCheck);
  }

  /**
   * Sends although the SDK believes that the authority is gone, and names no deadline. For
   * demonstrations and tests of the gateway's fence only: a worker that does this relies on being
   * refused.
   */
  public Write bypassLocalCheck(boolean bypass) {
    return new Write(operations, key, bypass);
  }

  boolean bypassesLocalCheck() {
    return bypassesLocalCheck;
  }

  @Nullable IdempotencyKey key() {
    return key;
  }

  String body() {
    if (operations.size() == 1) {
      return new Json.Obj(operations.get(0).members()).write();
    }
    List<Json> items = new ArrayList<>();
    operations.forEach(operation -> items.add(new Json.Obj(operation.members())));
    return new Json.Obj(Map.of("operations", new Json.Arr(items))).write();
  }

  @Override
  public String toString() {
    return operations + (key == null ? "" : " key " + key);
  }
}
