/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that nobody listens on at the moment. They lie below the ports that systems give to
 * outgoing connections (32,768 and up on Linux), so a stopped node finds its port free again. Two
 * labs may still choose the same one at once: who starts a process tries again.
 */
final class Ports {

  private static final int LOWEST = 15_000;
  private static final int HIGHEST = 32_000;
  private static final int MAX_TRIES = 1_000;

  private Ports() {}

  static List<Integer> free(int count) {
    Set<Integer> found = new LinkedHashSet<>();
    for (int i = 0; i < MAX_TRIES && found.size() < count; i++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (isFree(port)) {
        found.add(port);
      }
    }
    if (found.size() < count) {
      throw new LabException("no " + count + " free ports from " + LOWEST + " to " + HIGHEST);
    }
    return List.copyOf(found);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
