/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

/**
 * Something in a policy file that cannot be used, and where it stands. Free of secrets.
 *
 * @param file the name of the file
 * @param line from 1
 * @param column from 1, in characters
 * @param pointer JSON pointer (RFC 6901) within the file; empty for the file as a whole
 * @param given what stands there
 * @param expected what could stand there
 */
public record PolicyMessage(
    String file, int line, int column, String pointer, String given, String expected) {

  /** One line for people: {@code file:line:col: pointer: X was given, expected Y}. */
  public String text() {
    String subject = pointer.isEmpty() ? "" : pointer + ": ";
    return file
        + ":"
        + line
        + ":"
        + column
        + ": "
        + subject
        + given
        + " was given, expected "
        + expected;
  }

  @Override
  public String toString() {
    return text();
  }
}
