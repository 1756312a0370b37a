/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import java.util.List;
import java.util.Map;

/**
 * What is to be written: all calls or none, in their order.
 *
 * @param variables the values that the resource's name gives to its pattern's variables
 * @param calls at least one
 */
public record WriteContent(Map<String, String> variables, List<OperationCall> calls) {
  public WriteContent {
    variables = Map.copyOf(variables);
    calls = List.copyOf(calls);
  }
}
