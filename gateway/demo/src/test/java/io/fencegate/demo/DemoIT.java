/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole demo once, from the built jars, as {@code deploy/demo} runs it. */
class DemoIT {

  private static final long PATIENCE_SECONDS = 110;

  @TempDir Path directory;

  @Test
  void thePausedWorkerIsRefusedTheLedgerMatchesAndNothingIsLeftBehind() throws Exception {
    Path serverJar = Path.of(System.getProperty("fencegate.server.jar"));
    assertThat(serverJar).exists();
    File out = directory.resolve("out").toFile();
    File timeline = directory.resolve("timeline").toFile();
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    Process demo =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporary,
                "-Dfencegate.server.jar=" + serverJar,
                "-jar",
                System.getProperty("fencegate.demo.jar"),
                "--json")
            .redirectOutput(out)
            .redirectError(timeline)
            .start();
    try {
      assertThat(demo.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      String story = Files.readString(timeline.toPath(), StandardCharsets.UTF_8);
      List<String> table = Files.readAllLines(out.toPath(), StandardCharsets.UTF_8);

      assertThat(demo.exitValue()).as(story).isZero();
      assertThat(table).as(story).hasSize(1);
      assertThat(table.get(0))
          .startsWith("{\"matches\":true,\"accepted\":300,\"refused\":1,")
          .contains("\"refusal\":{\"status\":412,\"code\":\"stale-token\"}")
          .contains("\"postings\":300");
      assertThat(processesUnder(temporary)).isEmpty();
      try (var left = Files.list(temporary)) {
        assertThat(left.filter(path -> path.getFileName().toString().startsWith("fencegate-demo")))
            .isEmpty();
      }
    } finally {
      demo.destroyForcibly();
      processesUnder(temporary).forEach(ProcessHandle::destroyForcibly);
    }
  }

  /** Gateway, workers and PostgreSQL all name a file under the demo's directory. */
  private static List<ProcessHandle> processesUnder(Path temporary) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().commandLine().orElse("").contains(temporary + "/fencegate-demo"))
        .toList();
  }
}
