/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * How a service lets itself be asked what became of a write: it remembers the name of each that it
 * applies, and closes those that it is asked about, together with all of a session. Thread-safe.
 */
final class WriteNames {

  static final String PATH = "/fencing/writes/";

  private final Set<String> applied = ConcurrentHashMap.newKeySet();
  private final Set<String> closed = ConcurrentHashMap.newKeySet();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private volatile boolean ignorant;

  /** Whether a write may be applied; it is then. */
  synchronized boolean isOpen(HttpServerRequest request) {
    String name = request.getHeader("Fencing-Write-Id");
    if (name == null) {
      return true;
    }
    boolean open =
        !closed.contains(name) && !closed.contains(name.substring(0, name.lastIndexOf('.')));
    if (open) {
      applied.add(name);
    }
    return open;
  }

  /** From now on it answers that it does not know, until it knows again. */
  void forget(boolean whetherToForget) {
    ignorant = whetherToForget;
  }

  List<String> asked() {
    return asked;
  }

  synchronized void answer(HttpServerRequest request) {
    String name = request.path().substring(PATH.length());
    asked.add(request.method() + " " + name);
    if (ignorant) {
      request.response().setStatusCode(404).end();
    } else if (applied.contains(name)) {
      request.response().end("applied");
    } else {
      closed.add(name);
      request.response().setStatusCode(410).end("closed");
    }
  }
}
