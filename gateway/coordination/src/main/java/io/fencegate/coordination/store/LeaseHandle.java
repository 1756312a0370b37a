/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/**
 * A lease of the store: when it runs out, every key on it is deleted. Not a secret, not a token.
 */
public record LeaseHandle(long id) {

  /** No lease: the key stays. */
  public static final LeaseHandle NONE = new LeaseHandle(0);
}
