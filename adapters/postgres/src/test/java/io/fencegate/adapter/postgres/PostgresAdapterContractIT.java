/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.adapter.tck.AdapterContract;
import io.fencegate.adapter.tck.LogEntry;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresAdapterContractIT extends AdapterContract {

  private TestDatabase database;

  @RegisterExtension
  final BeforeEachCallback ownDatabase = context -> database = TestDatabase.create(context);

  @Override
  protected ResourceAdapter fresh(AdapterContext context) {
    return new PostgresAdapter(database.settings(), context, new WriteIds(new SecureRandom()));
  }

  @Override
  protected ResourceAdapter reopen(AdapterContext context) {
    return fresh(context);
  }

  @Override
  protected WriteContent append(ResourceName resource, FencingToken token, String value) {
    return TestDatabase.append(resource, token, value);
  }

  @Override
  protected WriteContent appendAndFail(ResourceName resource, FencingToken token, String value) {
    return TestDatabase.appendAndFail(resource, token, value);
  }

  @Override
  protected AdapterConfig config() {
    return new AdapterConfig(
        new AdapterName("db"), "postgres", Map.of("url", database.url(database.port())));
  }

  @Override
  protected Optional<Wire> wire() {
    return Optional.of(
        new Wire(
            "127.0.0.1",
            database.port(),
            (context, port) ->
                new PostgresAdapter(
                    database.settings(Map.of("url", database.url(port))),
                    context,
                    new WriteIds(new SecureRandom()))));
  }

  @Override
  protected Objectionable objectionable() {
    WriteContent content =
        new WriteContent(
            Map.of(),
            List.of(
                TestDatabase.operation("op", "SELECT :n", Map.of("n", "int2"))
                    .with(Map.of("n", new ParamValue.Num("32768")))));
    return new Objectionable(content, "params.n");
  }

  @Override
  protected List<LogEntry> log(ResourceName resource) {
    return database.log(resource);
  }
}
