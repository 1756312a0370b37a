/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import io.fencegate.policy.file.PolicyMessage;
import io.fencegate.policy.file.Setting;
import io.fencegate.policy.file.SettingsFile;
import io.fencegate.policy.file.SourceFile;
import io.fencegate.policy.file.Spelling;
import io.fencegate.policy.file.ValueResolver;
import io.fencegate.policy.name.Parsed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads the server's settings: a flag counts more than an environment variable, that more than the
 * file, that more than the default. Pure: files, variables and flags are handed in.
 */
public final class ConfigLoader {

  private static final String PLACEHOLDER = "${";

  private static final String NOT_SHOWN = "something not shown here";

  /**
   * Where settings come from.
   *
   * @param file the server file; an empty one leaves every default
   * @param base the directory that relative paths are relative to, whoever gives them
   * @param resolver for the file's placeholders
   * @param environment all variables of the process
   * @param flags values by the path of their key
   */
  public record Sources(
      SourceFile file,
      Path base,
      ValueResolver resolver,
      Map<String, String> environment,
      Map<ConfigKey, String> flags) {}

  private final Map<ConfigKey, Given> given = new EnumMap<>(ConfigKey.class);
  private final List<String> problems = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  private ConfigLoader() {}

  public static ConfigLoad load(Sources sources) {
    ConfigLoader loader = new ConfigLoader();
    loader.readFile(SettingsFile.read(sources.file(), sources.resolver()));
    loader.readEnvironment(sources.environment());
    loader.readFlags(sources.flags());
    return loader.result(sources.base());
  }

  private void readFile(SettingsFile file) {
    List<PolicyMessage> messages = new ArrayList<>(file.messages());
    Set<String> skipped = new HashSet<>();
    for (Setting setting : file.settings()) {
      if (setting.isBlamed() || skipped.contains(parent(setting.path()))) {
        skipped.add(setting.path());
        continue;
      }
      judge(setting, messages, skipped);
    }
    messages.stream()
        .sorted(
            Comparator.comparingInt(PolicyMessage::line).thenComparingInt(PolicyMessage::column))
        .map(PolicyMessage::text)
        .forEach(problems::add);
  }

  private void judge(Setting setting, List<PolicyMessage> messages, Set<String> skipped) {
    String path = setting.path();
    var key = ConfigKeys.at(path);
    if (key.isPresent()) {
      judgeValue(key.get(), setting, messages, skipped);
    } else if (ConfigKeys.isReserved(path)) {
      skipped.add(path);
      messages.add(setting.unknown(ConfigKeys.NOT_IN_THIS_VERSION));
    } else if (!ConfigKeys.isSection(path)) {
      skipped.add(path);
      List<String> known = ConfigKeys.within(parent(path));
      String name = path.substring(path.lastIndexOf('.') + 1);
      messages.add(setting.unknown("one of " + known + Spelling.hint(name, known)));
    } else if (!setting.isMapping()) {
      messages.add(setting.unusable("a mapping with keys out of " + ConfigKeys.within(path)));
    }
  }

  private void judgeValue(
      ConfigKey key, Setting setting, List<PolicyMessage> messages, Set<String> skipped) {
    Optional<Object> value =
        key.isList() ? setting.value().or(() -> joined(setting)) : setting.value();
    if (value.isEmpty()) {
      skipped.add(setting.path());
      messages.add(setting.unusable(valueFor(key) + ", or no such key"));
      return;
    }
    given.put(
        key,
        new Given(
            value.get(),
            setting.shown().contains(PLACEHOLDER),
            expected -> unusable(key, setting, expected).text()));
  }

  private static PolicyMessage unusable(ConfigKey key, Setting setting, String expected) {
    if (key.isSecret()) {
      return setting.unusableSecret(expected);
    }
    PolicyMessage shown = setting.unusable(expected);
    return mayHoldPassword(key) && setting.value().isPresent()
        ? new PolicyMessage(
            shown.file(), shown.line(), shown.column(), shown.pointer(), NOT_SHOWN, expected)
        : shown;
  }

  /** Addresses: somebody may have put user and password into one, where they do not belong. */
  private static boolean mayHoldPassword(ConfigKey key) {
    return key == ConfigKey.COORDINATOR_ENDPOINTS;
  }

  private static String valueFor(ConfigKey key) {
    return key.defaultText().isEmpty() ? "a value" : "a value such as " + key.defaultText();
  }

  /** With commas, as variables and options give it; what is no list of texts is a blank. */
  private static Optional<Object> joined(Setting setting) {
    return Optional.of(String.join(",", setting.texts().orElse(List.of())));
  }

  private static String parent(String path) {
    return path.contains(".") ? path.substring(0, path.lastIndexOf('.')) : "";
  }

  private void readEnvironment(Map<String, String> environment) {
    for (ConfigKey key : ConfigKey.values()) {
      String value = environment.get(key.variable());
      if (value != null) {
        given.put(key, spelled(key, "environment variable " + key.variable(), value));
      }
    }
    Set<String> known = ConfigKeys.variables();
    for (String variable : new TreeMap<>(environment).keySet()) {
      if (ConfigKeys.isReservedVariable(variable)) {
        problems.add(
            "environment variable "
                + variable
                + " was given, expected "
                + ConfigKeys.NOT_IN_THIS_VERSION);
      } else if (ConfigKeys.looksLikeOurs(variable) && !known.contains(variable)) {
        warnings.add(
            "environment variable "
                + variable
                + " sets nothing: there is no such key"
                + Spelling.hint(variable, known));
      }
    }
  }

  private void readFlags(Map<ConfigKey, String> flags) {
    flags.forEach((key, value) -> given.put(key, spelled(key, "option " + key.flag(), value)));
  }

  private static Given spelled(ConfigKey key, String source, String value) {
    String shown =
        key.isSecret() ? "a secret" : mayHoldPassword(key) ? NOT_SHOWN : Parsed.show(value);
    return new Given(
        value, true, expected -> source + ": " + shown + " was given, expected " + expected);
  }

  private ConfigLoad result(Path base) {
    ConfigValues values = new ConfigValues(given, base);
    ServerConfig config =
        new ServerConfig(
            new Listener(values.host(ConfigKey.WORKER_HOST), values.port(ConfigKey.WORKER_PORT)),
            values.optionalAddress(ConfigKey.WORKER_ADVERTISE),
            new Listener(
                values.host(ConfigKey.OPERATOR_HOST), values.port(ConfigKey.OPERATOR_PORT)),
            values.path(ConfigKey.COORDINATOR_DATA_DIR),
            new CoordinatorValues(values).read(),
            new EpochsValues(values).read(),
            values.path(ConfigKey.POLICIES),
            new AuditConfig(
                values.path(ConfigKey.AUDIT_FILE),
                values.auditBytes(ConfigKey.AUDIT_MAX_SIZE),
                values.auditFiles(ConfigKey.AUDIT_KEEP)));
    problems.addAll(values.complaints());
    if (problems.isEmpty()) {
      return new ConfigLoad.Loaded(config, warnings);
    }
    // A misspelt variable may well be why something else is missing.
    problems.addAll(warnings);
    return new ConfigLoad.Broken(problems);
  }
}
