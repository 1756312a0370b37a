/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

/**
 * A policy file that somebody else has read.
 *
 * @param name how messages call it, e.g. its path as the operator wrote it
 * @param text what stands in it, before any {@code ${..}} is resolved
 */
public record SourceFile(String name, String text) {
  @Override
  public String toString() {
    return "SourceFile[" + name + ", " + text.length() + " characters]";
  }
}
