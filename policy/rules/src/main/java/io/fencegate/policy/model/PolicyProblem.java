/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

/**
 * Something in a policy file that cannot be used.
 *
 * @param pointer JSON pointer (RFC 6901) of the value at fault, e.g. {@code /resources/0/guarantee}
 * @param given what stands there, free of secrets
 * @param expected what could stand there
 */
public record PolicyProblem(String pointer, String given, String expected) {
  public String message() {
    return given + " was given, expected " + expected;
  }
}
