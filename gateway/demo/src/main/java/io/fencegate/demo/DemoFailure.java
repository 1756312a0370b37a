/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

/** The demo cannot go on; the message says what happened and what to do next. */
final class DemoFailure extends Exception {

  private static final long serialVersionUID = 1L;

  DemoFailure(String what, String next) {
    super(what + System.lineSeparator() + "  What to do: " + next);
  }

  DemoFailure(String what, String next, Throwable cause) {
    super(
        what + ": " + cause.getMessage() + System.lineSeparator() + "  What to do: " + next, cause);
  }
}
