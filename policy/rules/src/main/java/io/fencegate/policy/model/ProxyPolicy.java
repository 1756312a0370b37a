/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * How an HTTP downstream is reached through the gateway.
 *
 * @param route the paths; its variables give those of the policy's {@code match}
 * @param methods the methods of writes, a subset of {@link #WRITE_METHODS}
 * @param readsAllowed whether GET and HEAD pass without a token
 */
public record ProxyPolicy(Route route, Set<String> methods, boolean readsAllowed) {

  /** Methods that may write. */
  public static final Set<String> WRITE_METHODS =
      Collections.unmodifiableSet(new TreeSet<>(Set.of("DELETE", "PATCH", "POST", "PUT")));

  /** Methods that only read. */
  public static final Set<String> READ_METHODS =
      Collections.unmodifiableSet(new TreeSet<>(Set.of("GET", "HEAD")));

  public ProxyPolicy {
    methods = Collections.unmodifiableSet(new TreeSet<>(methods));
  }

  /** Whether the method is one that passes without a token. */
  public boolean reads(String method) {
    return readsAllowed && READ_METHODS.contains(method);
  }

  /** Every method that passes in some way, in their order. */
  public Set<String> passing() {
    Set<String> all = new TreeSet<>(methods);
    if (readsAllowed) {
      all.addAll(READ_METHODS);
    }
    return all;
  }
}
