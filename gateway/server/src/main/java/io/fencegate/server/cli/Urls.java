/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

/** Writes addresses as people paste them. */
final class Urls {

  private Urls() {}

  /** An address that stands for all of the machine's is shown as the loopback one. */
  static String of(String host, int port) {
    String shown =
        switch (host) {
          case "0.0.0.0" -> "127.0.0.1";
          case "::", "::1" -> "[::1]";
          default -> host.contains(":") ? "[" + host + "]" : host;
        };
    return "http://" + shown + ":" + port;
  }
}
