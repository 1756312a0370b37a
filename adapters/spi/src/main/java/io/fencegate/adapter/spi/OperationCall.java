/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.model.Operation;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One named operation with the caller's parameters.
 *
 * @param field where it stands in the request, for messages: {@code params} or {@code
 *     operations[1].params}
 */
public record OperationCall(Operation operation, Map<String, ParamValue> params, String field) {
  public OperationCall {
    params = Collections.unmodifiableMap(new LinkedHashMap<>(params));
  }
}
