/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import io.fencegate.policy.name.Parsed;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a port listens, or is reached.
 *
 * @param host without brackets
 * @param port 0 to 65,535; 0 takes a free one
 */
public record Listener(String host, int port) {

  private static final int MAX_PORT = 65_535;
  private static final Pattern ADDRESS =
      Pattern.compile("(?:\\[([0-9A-Fa-f:.%]{2,64})]|([A-Za-z0-9._-]{1,253})):([1-9][0-9]{0,4})");

  /** Takes {@code host:port} of a port that can be reached, an IPv6 address in brackets. */
  public static Parsed<Listener> parse(String address) {
    Matcher parts = ADDRESS.matcher(address);
    if (!parts.matches() || Integer.parseInt(parts.group(3)) > MAX_PORT) {
      return Parsed.malformed(address, "host:port, such as 10.0.0.7:8080 or [fd00::7]:8080");
    }
    String host = parts.group(1) == null ? parts.group(2) : parts.group(1);
    return Parsed.valid(new Listener(host, Integer.parseInt(parts.group(3))));
  }

  /** As {@link #parse} takes it. */
  public String address() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
