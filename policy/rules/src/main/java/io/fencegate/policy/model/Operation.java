/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import io.fencegate.policy.name.OperationName;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A statement that writers may ask for by name; they never send statements of their own.
 *
 * @param sql with {@code :name} parameters: the declared ones and those of the resource pattern,
 *     which the gateway binds from the resource's name
 * @param params declared parameters and the adapter's name of their type, in the order of the file
 * @param minRows the write is undone and refused if the statement touched fewer rows
 */
public record Operation(OperationName name, String sql, Map<String, String> params, long minRows) {
  public Operation {
    params = Collections.unmodifiableMap(new LinkedHashMap<>(params));
  }
}
