/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A checker that used the product's decisions would share its mistakes. */
class IndependenceTest {

  private static final Path SOURCES = Path.of("src/main/java/io/fencegate/loadtest/history");

  @Test
  void theCheckerUsesNothingOfTheProduct() throws IOException {
    try (Stream<Path> files = Files.list(SOURCES)) {
      List<Path> sources = files.toList();
      assertThat(sources).hasSizeGreaterThan(5);
      for (Path source : sources) {
        assertThat(Files.readAllLines(source))
            .as("%s", source)
            .filteredOn(line -> line.startsWith("import io.fencegate."))
            .allMatch(line -> line.startsWith("import io.fencegate.loadtest.history."));
      }
    }
  }
}
