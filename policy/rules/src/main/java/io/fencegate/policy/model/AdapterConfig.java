/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import io.fencegate.policy.name.AdapterName;
import java.util.Map;
import java.util.TreeSet;

/**
 * An adapter as a policy file describes it.
 *
 * @param type which adapter, e.g. {@code postgres}
 * @param settings what the file says beside the type, with {@code ${..}} resolved: strings,
 *     numbers, booleans, lists and maps of them. May hold secrets, so {@link #toString()} names the
 *     keys only.
 */
public record AdapterConfig(AdapterName name, String type, Map<String, Object> settings) {
  public AdapterConfig {
    settings = Map.copyOf(settings);
  }

  @Override
  public String toString() {
    return "AdapterConfig[" + name + ", " + type + ", " + new TreeSet<>(settings.keySet()) + "]";
  }
}
