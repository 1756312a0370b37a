/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

/** What a command's exit code says; the same for every command. */
final class ExitCode {

  static final int OK = 0;

  /** What was asked for was understood and is not possible. */
  static final int REFUSED = 1;

  /** The command line itself cannot be used. */
  static final int USAGE = 2;

  /** Something that is needed is not available now: a port, a directory, a server. */
  static final int UNAVAILABLE = 3;

  /** It may or may not have been done. */
  static final int UNKNOWN = 4;

  private ExitCode() {}
}
