/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import io.fencegate.loadtest.measure.MeasurementFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** As much heap as a gateway is to get by with, and the log of its collections. */
record HeapLog(Path file) {

  private static final int MAX_HEAP_MIB = 512;

  /** Heap before and after a pause, as G1 logs it: {@code 123M->45M(512M)}. */
  private static final Pattern PAUSE = Pattern.compile("Pause .* (\\d+)M->(\\d+)M\\(\\d+M\\)");

  /** Deletes what an earlier gateway left; flags for the next one's JVM. */
  List<String> begin() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new MeasurementFailure("cannot delete an earlier log of collections", e);
    }
    return List.of("-Xmx" + MAX_HEAP_MIB + "m", "-XX:+UseG1GC", "-Xlog:gc:file=" + file);
  }

  /**
   * The heap's highest occupation, garbage included, and the highest that a collection left behind.
   */
  record Heap(long peakMib, long peakLiveMib, int maxMib) {}

  /** What it says so far. */
  Heap heap() {
    long peak = 0;
    long live = 0;
    try {
      for (String line : Files.readAllLines(file)) {
        Matcher pause = PAUSE.matcher(line);
        if (pause.find()) {
          peak = Math.max(peak, Long.parseLong(pause.group(1)));
          live = Math.max(live, Long.parseLong(pause.group(2)));
        }
      }
    } catch (IOException e) {
      throw new MeasurementFailure("the gateway's log of collections cannot be read", e);
    }
    return new Heap(peak, live, MAX_HEAP_MIB);
  }
}
