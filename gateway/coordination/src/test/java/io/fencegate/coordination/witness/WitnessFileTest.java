/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.policy.token.Generation;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WitnessFileTest {

  private static final Witness WITNESS =
      new Witness(
          OptionalLong.of(-7),
          new Position(new Generation(3), 4711),
          Optional.of("the coordinator is at revision 1"));

  @TempDir Path directory;

  private Path file() {
    return directory.resolve(WitnessFile.NAME);
  }

  @Test
  void whatWasWrittenIsReadAgain() throws IOException {
    WitnessFile file = new WitnessFile(directory);
    for (Witness witness : List.of(WITNESS, Witness.NOTHING)) {
      file.write(witness);
      assertThat(new WitnessFile(directory).read()).isEqualTo(witness);
    }
  }

  @Test
  void noFileIsNoWitnessAndItsDirectoryIsMade() throws IOException {
    Path missing = directory.resolve("a/b");
    assertThat(new WitnessFile(missing).read()).isEqualTo(Witness.NOTHING);
    new WitnessFile(missing).keep().close();
    assertThat(missing).isDirectory();
  }

  @Test
  void theDirectoryIsOneGatewaysUntilItLetsGo() throws IOException {
    FileChannel first = new WitnessFile(directory).keep();
    assertThatThrownBy(() -> new WitnessFile(directory).keep())
        .isInstanceOf(WitnessInUse.class)
        .hasMessageContaining(directory.toString());
    first.close();
    new WitnessFile(directory).keep().close();
  }

  @Test
  void everyByteThatChangedOrIsMissingIsNoticed() throws IOException {
    new WitnessFile(directory).write(WITNESS);
    byte[] good = Files.readAllBytes(file());
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 1;
      Files.write(file(), bad);
      assertRefused();
      Files.writeString(file(), new String(good, 0, i, StandardCharsets.UTF_8));
      assertRefused();
    }
  }

  private void assertRefused() {
    assertThatThrownBy(() -> new WitnessFile(directory).read())
        .isInstanceOf(UnusableWitness.class)
        .hasMessageContaining(file().toString());
  }

  @Test
  void aHalfWrittenReplacementDoesNotCount() throws IOException {
    new WitnessFile(directory).write(WITNESS);
    Files.writeString(directory.resolve(WitnessFile.NAME + ".next"), "fencegate-wit");
    assertThat(new WitnessFile(directory).read()).isEqualTo(WITNESS);
    new WitnessFile(directory).write(Witness.NOTHING);
    assertThat(new WitnessFile(directory).read()).isEqualTo(Witness.NOTHING);
  }
}
