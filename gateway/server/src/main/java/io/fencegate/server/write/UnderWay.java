/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.policy.freeze.FreezeScope;
import io.vertx.core.Future;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The writes that have come and are not answered yet. Used from one context. */
final class UnderWay {

  private final IdentityHashMap<WriteCommand, Future<WriteReport>> writes = new IdentityHashMap<>();

  /** Keeps a write until its report is there. */
  Future<WriteReport> track(WriteCommand command, Future<WriteReport> report) {
    if (!report.isComplete()) {
      writes.put(command, report);
      report.onComplete(unused -> writes.remove(command));
    }
    return report;
  }

  /** Completes when all writes have ended that are under way now and within the scope. */
  Future<Void> ended(FreezeScope scope) {
    List<Future<WriteReport>> meant =
        writes.entrySet().stream()
            .filter(it -> scope.covers(it.getKey().resource(), it.getKey().policy().name()))
            .map(Map.Entry::getValue)
            .toList();
    return meant.isEmpty() ? Future.succeededFuture() : Future.join(meant).mapEmpty();
  }
}
