/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Each part at a tiny size, for what it does and not for how fast it is. */
class CapacityIT {

  @TempDir Path directory;

  private JsonNode run(String... arguments) throws Exception {
    Path json = directory.resolve("capacity.json");
    List<String> all =
        new ArrayList<>(
            List.of(
                "--server-jar",
                System.getProperty("fencegate.server.jar"),
                "--directory",
                directory.toString(),
                "--json",
                json.toString()));
    all.addAll(List.of(arguments));
    int exitCode =
        new CommandLine(new CapacityCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(all.toArray(String[]::new));
    // 1: a goal was missed, such as a time. That says something of this machine, not of the tool.
    assertThat(exitCode).isIn(0, 1);
    return new ObjectMapper().readTree(json.toFile());
  }

  @Test
  void theWorkloadLosesNoLeaseThoughANodeIsKilled() throws Exception {
    JsonNode workload =
        run(
                "--parts=workload",
                "--resources=400",
                "--held=40",
                "--rate=10",
                "--renewals=10",
                "--fill=4",
                "--warm-up=4",
                "--duration=12")
            .path("workload");
    assertThat(workload.path("lostLeases").asLong()).isZero();
    for (Phase phase : List.of(Phase.STEADY, Phase.AFTER)) {
      for (LockOp op : LockOp.values()) {
        JsonNode of = workload.path("phases").path(phase.wireName()).path(op.wireName());
        assertThat(of.path("count").asLong()).as("%s %s", phase, op).isPositive();
      }
    }
    assertThat(workload.path("gatewayMemory").path("residentPeakMib").asLong()).isPositive();
  }

  @Test
  void allThreeWaysLockAndUnlock() throws Exception {
    JsonNode rows =
        run("--parts=cycles", "--rounds=1", "--round=1", "--at-once=16")
            .path("cycles")
            .path("rows");
    assertThat(rows).hasSize(3);
    assertThat(rows)
        .allSatisfy(
            row -> assertThat(row.path("perSecond").path("median").asDouble()).isPositive());
  }

  @Test
  void theSearchForTheHighestRateTriesBothWays() throws Exception {
    JsonNode rates =
        run("--parts=rate", "--first-rate=2", "--step=2", "--steps=1").path("highestRate");
    for (String way : List.of("inProcess", "http")) {
      assertThat(rates.path(way).path("steps")).hasSize(1);
      assertThat(
              rates
                  .path(way)
                  .path("steps")
                  .path(0)
                  .path("figures")
                  .path("acquire")
                  .path("count")
                  .asLong())
          .as(way)
          .isPositive();
    }
  }
}
