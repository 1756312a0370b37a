/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.name;

/**
 * Who called, as authentication found it: {@code jwt:sub=settler}, {@code key:batch}; {@link
 * #ANONYMOUS} where nothing authenticates callers.
 */
public record Principal(String value) {

  public static final Principal ANONYMOUS = new Principal("anonymous");

  @Override
  public String toString() {
    return value;
  }
}
