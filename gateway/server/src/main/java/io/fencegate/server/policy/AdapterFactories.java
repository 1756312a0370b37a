/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.adapter.spi.AdapterFactory;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The adapter types that this process has, its own and those of extra jars. */
public final class AdapterFactories {

  private final Map<String, AdapterFactory> byType;

  private AdapterFactories(Map<String, AdapterFactory> byType) {
    this.byType = byType;
  }

  /** A factory that is announced by some jar and cannot be used; the message is one line. */
  public static final class UnusableAdapter extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusableAdapter(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Those that the class path announces.
   *
   * @throws UnusableAdapter where one cannot be loaded, or two are of one type
   */
  public static AdapterFactories installed() {
    Map<String, AdapterFactory> byType = new TreeMap<>();
    try {
      for (AdapterFactory factory : ServiceLoader.load(AdapterFactory.class)) {
        AdapterFactory other = byType.put(factory.type(), factory);
        if (other != null) {
          throw new UnusableAdapter(
              "two adapters of type '"
                  + factory.type()
                  + "': "
                  + where(other)
                  + " and "
                  + where(factory)
                  + ", expected one",
              null);
        }
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new UnusableAdapter("an adapter cannot be loaded: " + e, e);
    }
    return new AdapterFactories(byType);
  }

  private static String where(AdapterFactory factory) {
    return factory.getClass().getName()
        + " in "
        + factory.getClass().getProtectionDomain().getCodeSource().getLocation();
  }

  public Optional<AdapterFactory> of(String type) {
    return Optional.ofNullable(byType.get(type));
  }

  public Set<String> types() {
    return byType.keySet();
  }
}
