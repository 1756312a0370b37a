/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.example;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.adapter.tck.GatewayJudgedContract;
import io.fencegate.adapter.tck.LogEntry;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.OperationName;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

class LinesAdapterContractTest extends GatewayJudgedContract {

  @TempDir Path folder;

  @Override
  protected AdapterConfig config() {
    return new AdapterConfig(
        new AdapterName("files"), "lines", Map.of("folder", folder.toString()));
  }

  @Override
  protected ResourceAdapter fresh(AdapterContext context) {
    return new LinesAdapterFactory().create(config(), List.of(), context);
  }

  @Override
  protected ResourceAdapter reopen(AdapterContext context) {
    return fresh(context);
  }

  @Override
  protected WriteContent append(ResourceName resource, FencingToken token, String value) {
    return content(new ParamValue.Text(value));
  }

  @Override
  protected Objectionable objectionable() {
    return new Objectionable(content(new ParamValue.Num("1")), "params.line");
  }

  private static WriteContent content(ParamValue line) {
    Operation append =
        new Operation(new OperationName("append"), "append", Map.of("line", "text"), 0);
    return new WriteContent(
        Map.of(), List.of(new OperationCall(append, Map.of("line", line), "params")));
  }

  @Override
  protected List<LogEntry> log(ResourceName resource) {
    Path file = folder.resolve(resource.keySegment() + ".log");
    try {
      return Files.exists(file)
          ? Files.readAllLines(file).stream().map(LinesAdapterContractTest::entry).toList()
          : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static LogEntry entry(String line) {
    JsonObject json = new JsonObject(line);
    return new LogEntry(
        json.getString("line"), new FencingToken(Long.parseLong(json.getString("token"))));
  }
}
