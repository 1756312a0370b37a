/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.ledger.postgres.LedgerSchema;
import io.fencegate.policy.file.LoadedPolicies;
import io.fencegate.policy.file.PolicyMessage;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.server.config.ServerConfig;
import io.fencegate.server.policy.PolicyChecks;
import io.fencegate.server.policy.PolicyFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Commands about what an adapter, or the ledger of epochs, needs in its database. */
@Command(
    name = "sql",
    description = "What adapters and the ledger of epochs need in their databases.",
    subcommands = SqlCommand.Install.class)
final class SqlCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      throw new CommandLine.ParameterException(spec.commandLine(), "which sql command?");
    }
  }

  /** Prints the statements; runs nothing. */
  @Command(
      name = "install",
      description = {
        "Prints what an administrator runs in the database once, so that the gateway's own role"
            + " needs no right to create anything. Nothing is connected to."
      })
  static final class Install implements Callable<Integer> {

    private final Surroundings surroundings;

    @Option(
        names = "--config",
        paramLabel = "FILE",
        defaultValue = "fencegate.yaml",
        description = "server file whose policies name the adapter (default: ${DEFAULT-VALUE})")
    private Path config = Path.of("fencegate.yaml");

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Wanted wanted = new Wanted();

    @Spec private @Nullable CommandSpec spec;

    /** One of them. */
    static final class Wanted {
      @Option(names = "--adapter", paramLabel = "NAME", description = "adapter of the policy files")
      private @Nullable String adapter;

      @Option(
          names = "--type",
          paramLabel = "TYPE",
          description = "adapter type, e.g. postgres; needs no server file")
      private @Nullable String type;

      @Option(
          names = "--ledger",
          description = "the ledger of epochs (epochs.type postgres); needs no server file")
      private boolean ledger;
    }

    Install(Surroundings surroundings) {
      this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
      if (wanted.ledger) {
        return print(LedgerSchema.ddl());
      }
      if (wanted.type != null) {
        return ofType(wanted.type);
      }
      String adapter = wanted.adapter == null ? "" : wanted.adapter;
      return ConfigReading.read(config, surroundings, Map.of())
          .fold(loaded -> ofAdapter(adapter, loaded.config()), this::refuse);
    }

    private int ofType(String type) {
      Optional<AdapterFactory> factory = surroundings.adapters().of(type);
      if (factory.isEmpty()) {
        return refuse(
            List.of(
                "'" + type + "' was given, expected one of " + surroundings.adapters().types()));
      }
      Optional<String> sql = factory.get().installSql();
      if (sql.isEmpty()) {
        return refuse(List.of("adapters of type " + type + " need nothing to be installed"));
      }
      return print(sql.get());
    }

    private int print(String sql) {
      line().getOut().println(sql.stripTrailing());
      line().getOut().flush();
      return ExitCode.OK;
    }

    private int ofAdapter(String adapter, ServerConfig server) {
      PolicyFolder folder = new PolicyFolder(server.policies());
      try {
        return new PolicyChecks(surroundings.adapters())
            .load(folder.read(), surroundings.values())
            .fold(
                loaded -> ofAdapter(adapter, loaded),
                messages -> refuse(messages.stream().map(PolicyMessage::text).toList()));
      } catch (IOException e) {
        refuse(List.of("policies: " + folder + " cannot be read, expected a directory of files"));
        return ExitCode.UNAVAILABLE;
      }
    }

    private int ofAdapter(String adapter, LoadedPolicies loaded) {
      List<String> names =
          loaded.set().adapters().keySet().stream().map(Object::toString).sorted().toList();
      Optional<AdapterConfig> found =
          loaded.set().adapters().values().stream()
              .filter(it -> it.name().value().equals(adapter))
              .findAny();
      return found
          .map(it -> ofType(it.type()))
          .orElseGet(
              () ->
                  refuse(List.of("adapter '" + adapter + "' was given, expected one of " + names)));
    }

    private int refuse(List<String> reasons) {
      reasons.forEach(reason -> line().getErr().println(reason));
      line().getErr().flush();
      return ExitCode.REFUSED;
    }

    private CommandLine line() {
      if (spec == null) {
        throw new IllegalStateException("not run by picocli");
      }
      return spec.commandLine();
    }
  }
}
