/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.file.SourceFile;
import io.fencegate.server.config.ConfigKey;
import io.fencegate.server.config.ConfigLoad;
import io.fencegate.server.config.ConfigLoader;
import io.fencegate.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a gateway until a signal ends it. */
@Command(
    name = "serve",
    description = {
      "Runs a gateway until SIGTERM or SIGINT: it then lets nobody in any more, gives every request"
          + " that is in its true answer, and ends.",
      "Every key of the server file has an option below, unless it is a secret, and an environment"
          + " variable such as FENCEGATE_WORKER_PORT. An option counts more than a variable, a variable more than"
          + " the file.",
      "Relative paths are relative to the server file's directory."
    })
final class ServeCommand implements Callable<Integer> {

  private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

  private final Surroundings surroundings;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Mode mode = new Mode();

  @Spec private @Nullable CommandSpec spec;

  /** One of the two. */
  static final class Mode {
    @Option(names = "--config", paramLabel = "FILE", description = "the server file")
    private @Nullable Path config;

    @Option(
        names = "--dev",
        description =
            "for trying things out: loopback only, a temporary directory, a policy for demo/NAME"
                + " that writes into memory; prints lines to paste")
    private boolean dev;
  }

  private ServeCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  /** The command with one option for each key of the server file. */
  static CommandLine create(Surroundings surroundings) {
    CommandLine command = new CommandLine(new ServeCommand(surroundings));
    for (ConfigKey key : optionKeys()) {
      command
          .getCommandSpec()
          .addOption(
              OptionSpec.builder(key.flag())
                  .type(String.class)
                  .paramLabel("VALUE")
                  .description(key.meaning() + " (default: " + shownDefault(key) + ")")
                  .build());
    }
    return command;
  }

  /** Everybody on the machine can see a command line, so no secret stands there. */
  private static List<ConfigKey> optionKeys() {
    return Stream.of(ConfigKey.values()).filter(key -> !key.isSecret()).toList();
  }

  private static String shownDefault(ConfigKey key) {
    return key.defaultText().isEmpty() ? "none" : key.defaultText();
  }

  @Override
  public Integer call() {
    Path file = mode.config;
    if (mode.dev) {
      return serveDev();
    }
    if (file == null) {
      throw new CommandLine.ParameterException(line(), "--config=FILE or --dev is needed");
    }
    return ConfigReading.read(file, surroundings, flags())
        .fold(loaded -> serve(loaded, null), this::refuse);
  }

  private int serveDev() {
    DevSetup dev;
    try {
      dev = DevSetup.create();
    } catch (IOException e) {
      return unavailable(
          "the temporary directory cannot be written ("
              + e
              + "); make room in it or give another one with"
              + " FENCEGATE_JAVA_OPTS=-Djava.io.tmpdir=DIR");
    }
    int exitCode = readDev(dev).fold(loaded -> serveDev(loaded, dev), this::refuse);
    dev.delete();
    return exitCode;
  }

  private ConfigLoad readDev(DevSetup dev) {
    return ConfigLoader.load(
        new ConfigLoader.Sources(
            new SourceFile("--dev", ""),
            dev.directory(),
            surroundings.values(),
            surroundings.environment(),
            flags()));
  }

  private int serveDev(ConfigLoad.Loaded loaded, DevSetup dev) {
    ServerConfig config = loaded.config();
    for (String host : List.of(config.worker().host(), config.operator().host())) {
      if (!DevSetup.LOOPBACK.contains(host)) {
        loaded.warnings().forEach(LOG::warn);
        return refuse(
            List.of(
                "host '"
                    + host
                    + "' was given, expected one of "
                    + DevSetup.LOOPBACK
                    + " with --dev; write a server file to serve others"));
      }
    }
    return serve(loaded, dev);
  }

  private Map<ConfigKey, String> flags() {
    Map<ConfigKey, String> flags = new EnumMap<>(ConfigKey.class);
    for (ConfigKey key : optionKeys()) {
      String value = line().getParseResult().matchedOptionValue(key.flag(), null);
      if (value != null) {
        flags.put(key, value);
      }
    }
    return flags;
  }

  private int serve(ConfigLoad.Loaded loaded, @Nullable DevSetup dev) {
    loaded.warnings().forEach(LOG::warn);
    ServerConfig config = loaded.config();
    if (!Files.isDirectory(config.policies())) {
      return unavailable(
          "policies: "
              + config.policies()
              + " is not there or no directory; make it, or give another one with"
              + " --policies=DIR");
    }
    Waiting.Ended<ServerProcess> start = ServerProcess.start(config);
    ServerProcess process = start.value();
    if (process == null) {
      return notStarted(start.cause());
    }
    Shutdown shutdown = Shutdown.onSignal(process, dev);
    announce(config, process, dev);
    return shutdown.await();
  }

  private int notStarted(@Nullable Throwable cause) {
    if (cause == null) {
      throw new IllegalStateException("neither started nor failed");
    }
    return StartFailure.of(cause)
        .map(
            failure -> {
              refuse(List.of(failure.message()));
              return failure.exitCode();
            })
        .orElseGet(
            () -> {
              LOG.error("the gateway did not start", cause);
              return ExitCode.UNAVAILABLE;
            });
  }

  private void announce(ServerConfig config, ServerProcess process, @Nullable DevSetup dev) {
    String worker = Urls.of(config.worker().host(), process.workerPort());
    String operator = Urls.of(config.operator().host(), process.operatorPort());
    LOG.warn(
        "ANYONE who reaches {} may lock and write, and anyone who reaches {} may operate this"
            + " gateway: this version has no authentication. Let only your own in.",
        config.worker().host() + ":" + process.workerPort(),
        config.operator().host() + ":" + process.operatorPort());
    if (process.policyCount() == 0) {
      LOG.warn(
          "NO POLICY is in force: every request will be refused. Put a *.yaml file into {}; it is"
              + " taken up within seconds.",
          config.policies());
    }
    if (dev != null) {
      line().getOut().println(DevSetup.lines(worker));
      line().getOut().println("Everything is kept in " + dev.directory() + " until this ends.");
    }
    line().getOut().println("ready: worker " + worker + " operator " + operator);
    line().getOut().flush();
  }

  private int unavailable(String reason) {
    refuse(List.of(reason));
    return ExitCode.UNAVAILABLE;
  }

  private int refuse(List<String> reasons) {
    reasons.forEach(line().getErr()::println);
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
