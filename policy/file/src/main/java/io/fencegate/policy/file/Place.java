/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

/**
 * A position in a file.
 *
 * @param line from 1
 * @param column from 1, in characters
 */
record Place(int line, int column) {
  static final Place START = new Place(1, 1);
}
