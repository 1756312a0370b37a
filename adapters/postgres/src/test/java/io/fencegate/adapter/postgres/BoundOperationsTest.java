/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.model.Operation;
import io.fencegate.policy.name.OperationName;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BoundOperationsTest {

  private final BoundOperations operations = new BoundOperations();

  @Test
  void operationIsTakenApartOnce() {
    assertThat(operations.of(operation("SELECT :n")))
        .isSameAs(operations.of(operation("SELECT :n")));
  }

  @Test
  void reloadedOperationOfTheSameNameIsAnother() {
    assertThat(operations.of(operation("SELECT :n")).sql()).isEqualTo("SELECT ($1::text)::int4");
    assertThat(operations.of(operation("SELECT 1 + :n")).sql())
        .isEqualTo("SELECT 1 + ($1::text)::int4");
  }

  @Test
  void noMoreThanTheBoundIsKeptAndTheLastUsedStays() {
    BoundOperation used = operations.of(operation("SELECT :n"));
    for (int i = 0; i < 2 * BoundOperations.MOST; i++) {
      operations.of(operation("SELECT " + i + " + :n"));
      assertThat(operations.of(operation("SELECT :n"))).isSameAs(used);
    }
    assertThat(operations.size()).isEqualTo(BoundOperations.MOST);
  }

  private static Operation operation(String sql) {
    return new Operation(new OperationName("op"), sql, Map.of("n", "int4"), 0);
  }
}
