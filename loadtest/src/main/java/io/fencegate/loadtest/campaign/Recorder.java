/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fencegate.loadtest.history.Operation;
import io.fencegate.loadtest.history.Operation.Kind;
import io.fencegate.loadtest.history.Operation.Result;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Everything that clients saw, on this process's monotonic clock. Thread-safe. */
final class Recorder {

  /** What a call asks for, before it is sent. */
  record Asked(int client, String resource, Kind kind, String request, String lease) {}

  private final AtomicInteger ids = new AtomicInteger();
  private final List<Operation> operations = new ArrayList<>();

  void add(Asked asked, Result result, long invokeNanos, long returnNanos) {
    Operation operation =
        new Operation(
            ids.getAndIncrement(),
            asked.client(),
            asked.resource(),
            asked.kind(),
            asked.request(),
            asked.lease(),
            0,
            result,
            invokeNanos,
            returnNanos);
    synchronized (operations) {
      operations.add(operation);
    }
  }

  List<Operation> history() {
    synchronized (operations) {
      return List.copyOf(operations);
    }
  }

  /** One JSON object per line. */
  void write(Path file) {
    ObjectMapper mapper = new ObjectMapper();
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (Operation operation : history()) {
        out.write(mapper.writeValueAsString(operation));
        out.newLine();
      }
    } catch (IOException e) {
      throw new CampaignFailure("cannot write " + file, e);
    }
  }
}
