/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.loadtest.history.Operation.Answer;
import io.fencegate.loadtest.history.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

class CampaignIT {

  private static final Duration TIME =
      Boolean.getBoolean("fencegate.full") ? Duration.ofMinutes(8) : Duration.ofSeconds(25);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path directory;

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void oneLockPerResourceExplainsEveryAnswerWhateverFails() {
    long seed = Long.getLong("fencegate.seed", new Random().nextLong() >>> 16);
    System.out.println("campaign seed " + seed);
    Path jar = Path.of(System.getProperty("fencegate.server.jar"));
    Plan plan = new Plan(TIME, 8, 2, 3, seed, jar, directory);
    Campaign.Report report = Campaign.run(plan, System.out::println);
    System.out.println(report.table() + "\n" + report.verdict());
    assertThat(report.verdict())
        .as("seed %d, history %s", seed, report.file())
        .isInstanceOf(Verdict.Explained.class);
    assertThat(report.history())
        .as("locks changed hands")
        .filteredOn(op -> op.answer() == Answer.GRANTED)
        .hasSizeGreaterThan(20);
  }
}
