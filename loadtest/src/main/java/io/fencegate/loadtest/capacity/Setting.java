/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Where measurements run.
 *
 * @param directory for logs and reports of the run; its parts have folders of their own
 * @param gatewayFlags more flags for the gateway's JVM
 * @param say tells a person how far it is
 */
record Setting(Path serverJar, Path directory, List<String> gatewayFlags, Consumer<String> say) {

  GatewayProcess gateway(String part, List<String> endpoints) {
    return GatewayProcess.start(
        serverJar,
        directory.resolve(part),
        "{ type: etcd, endpoints: [" + String.join(", ", endpoints) + "], dataDir: data }",
        gatewayFlags);
  }

  void say(String what) {
    say.accept(what);
  }
}
