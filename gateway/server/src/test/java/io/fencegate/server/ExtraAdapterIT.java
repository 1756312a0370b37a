/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.example.LinesAdapterFactory;
import io.fencegate.server.ApiClient.Answer;
import io.fencegate.server.ApiClient.Lock;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway that operators run, with an adapter that comes in a jar of its own. */
class ExtraAdapterIT {

  private static final String SERVICES =
      "META-INF/services/io.fencegate.adapter.spi.AdapterFactory";

  @TempDir Path root;
  private Path adapters;

  @BeforeEach
  void folder() throws IOException {
    adapters = Files.createDirectory(root.resolve("adapters"));
  }

  private static Path exampleJar() throws URISyntaxException {
    return Path.of(
        LinesAdapterFactory.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  @Test
  void aJarInTheFolderBringsAnAdapterWhoseWritesTheGatewayOrders() throws Exception {
    Files.copy(exampleJar(), adapters.resolve("lines.jar"));
    Path files = Files.createDirectory(root.resolve("files"));
    Path home = Files.createDirectory(root.resolve("home"));
    try (GatewayProcess gateway =
        GatewayProcess.launch(root, home, JudgedOperationsTest.policies(files), adapters)) {
      ApiClient api = gateway.worker();
      Lock older = api.acquire("log/a");
      Answer first = JudgedOperationsTest.write(api, older, "one");
      assertThat(first.status()).as(first.toString()).isEqualTo(200);
      assertThat(first.header("Fencing-Guarantee")).isEqualTo("serialized");
      api.release(older);
      Lock newer = api.acquire("log/a");
      assertThat(JudgedOperationsTest.write(api, newer, "two").status()).isEqualTo(200);
      assertThat(JudgedOperationsTest.write(api, older, "zombie").code()).isEqualTo("stale-token");
    }
    assertThat(JudgedOperationsTest.lines(files.resolve("log%2Fa.log")))
        .containsExactly("one", "two");
  }

  @Test
  void aFolderThatIsNotThereIsNamedInOneLine() throws Exception {
    assertRefused(root.resolve("nowhere"), "nowhere");
  }

  @Test
  void aFactoryThatCannotBeLoadedIsNamedInOneLine() throws Exception {
    try (OutputStream file = Files.newOutputStream(adapters.resolve("broken.jar"));
        JarOutputStream jar = new JarOutputStream(file)) {
      jar.putNextEntry(new ZipEntry(SERVICES));
      jar.write("com.example.Missing".getBytes(StandardCharsets.UTF_8));
      jar.closeEntry();
    }
    assertRefused(adapters, "com.example.Missing");
  }

  private void assertRefused(Path folder, String named) throws Exception {
    ProcessBuilder launcher = GatewayProcess.launcher(root, "serve", "--dev");
    launcher.environment().put("FENCEGATE_ADAPTERS", folder.toString());
    Process process = launcher.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isEqualTo(3);
    assertThat(output).contains(named).hasLineCount(1);
  }
}
