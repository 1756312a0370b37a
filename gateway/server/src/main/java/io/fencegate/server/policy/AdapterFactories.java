/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.adapter.spi.AdapterFactory;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;

/** The adapter types that this process has, its own and those of extra jars. */
public final class AdapterFactories {

  private final Map<String, AdapterFactory> byType;

  private AdapterFactories(Map<String, AdapterFactory> byType) {
    this.byType = byType;
  }

  public static AdapterFactories installed() {
    Map<String, AdapterFactory> byType = new TreeMap<>();
    ServiceLoader.load(AdapterFactory.class).forEach(it -> byType.put(it.type(), it));
    return new AdapterFactories(byType);
  }

  public Optional<AdapterFactory> of(String type) {
    return Optional.ofNullable(byType.get(type));
  }

  public Set<String> types() {
    return byType.keySet();
  }
}
