/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import io.fencegate.loadtest.measure.GatewayProcess;
import java.nio.file.Path;
import java.util.ArrayList;
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

  private static final String POLICY =
      """
      apiVersion: fencegate/v1
      adapters:
        nowhere: { type: memory }
      resources:
        - name: load
          match: load/{number}
          adapter: nowhere
          guarantee: strict
          lease: { ttl: 30s, maxTtl: 5m }
          dedup: { retention: 2m }
          operations:
            note: { sql: "note" }
      """;

  GatewayProcess gateway(String part, List<String> endpoints) {
    List<String> flags = new ArrayList<>(heapLog(part).begin());
    flags.addAll(gatewayFlags);
    return GatewayProcess.start(
        new GatewayProcess.Setup(
            serverJar,
            directory.resolve(part),
            "{ type: etcd, endpoints: [" + String.join(", ", endpoints) + "], dataDir: data }",
            POLICY,
            new GatewayProcess.Jvm(List.of(), flags)));
  }

  /** What the gateway of this part says of its heap. */
  HeapLog heapLog(String part) {
    return new HeapLog(directory.resolve(part).resolve("gc.log"));
  }

  void say(String what) {
    say.accept(what);
  }
}
