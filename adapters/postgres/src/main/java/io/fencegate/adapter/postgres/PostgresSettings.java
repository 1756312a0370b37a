/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.postgres;

import io.fencegate.adapter.spi.NamedDestination;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.name.Parsed;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An adapter's settings.
 *
 * @param url with the password in it, so never shown
 * @param poolSize connections at most, 1 to 200
 * @param install whether the schema is created where it is missing
 * @param timeout the longest that one attempt to connect may take, 100 ms to 5 min
 */
record PostgresSettings(String url, int poolSize, boolean install, Duration timeout) {

  static final int DEFAULT_POOL = 16;
  static final int MAX_POOL = 200;
  static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration MIN_TIMEOUT = Duration.ofMillis(100);
  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(5);
  private static final Set<String> KNOWN =
      Set.of("url", "destination", "pool", "install", "timeout");
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m)");
  private static final String EXPECTED_URL = "postgresql://user:password@host:5432/database";

  static List<PolicyProblem> problems(AdapterConfig config) {
    String root = "/adapters/" + config.name();
    List<PolicyProblem> problems = new ArrayList<>();
    for (String key : new TreeSet<>(config.settings().keySet())) {
      if (!KNOWN.contains(key)) {
        problems.add(unknown(root, key, KNOWN));
      }
    }
    if (!isUrl(config.settings().get("url"))) {
      boolean absent = !config.settings().containsKey("url");
      problems.add(
          new PolicyProblem(
              absent ? root : root + "/url", absent ? "no url" : "an unusable url", EXPECTED_URL));
    }
    NamedDestination.problem(config).ifPresent(problems::add);
    checkPool(root + "/pool", config.settings().get("pool"), problems);
    Object install = config.settings().get("install");
    if (install != null && !(install instanceof Boolean)) {
      problems.add(new PolicyProblem(root + "/install", shown(install), "true or false"));
    }
    Object timeout = config.settings().get("timeout");
    if (timeout != null && duration(timeout).isEmpty()) {
      problems.add(
          new PolicyProblem(root + "/timeout", shown(timeout), "a duration from 100ms to 5m"));
    }
    return problems;
  }

  private static void checkPool(
      String pointer, @Nullable Object pool, List<PolicyProblem> problems) {
    if (pool == null) {
      return;
    }
    if (!(pool instanceof Map<?, ?> map)) {
      problems.add(new PolicyProblem(pointer, shown(pool), "a map with 'size'"));
      return;
    }
    for (Object key : map.keySet()) {
      if (!"size".equals(key)) {
        problems.add(unknown(pointer, String.valueOf(key), Set.of("size")));
      }
    }
    Object size = map.get("size");
    if (size != null && poolSize(size).isEmpty()) {
      problems.add(
          new PolicyProblem(
              pointer + "/size", shown(size), "a whole number from 1 to " + MAX_POOL));
    }
  }

  private static PolicyProblem unknown(String pointer, String key, Set<String> known) {
    return new PolicyProblem(
        pointer + "/" + key.replace("~", "~0").replace("/", "~1"),
        "setting " + Parsed.show(key),
        "one of " + new TreeSet<>(known));
  }

  /** The settings; {@link #problems} found none before. */
  static PostgresSettings of(AdapterConfig config) {
    Map<String, Object> settings = config.settings();
    int size =
        settings.get("pool") instanceof Map<?, ?> pool && pool.get("size") != null
            ? poolSize(pool.get("size")).orElse(DEFAULT_POOL)
            : DEFAULT_POOL;
    return new PostgresSettings(
        String.valueOf(settings.get("url")),
        size,
        !Boolean.FALSE.equals(settings.get("install")),
        Optional.ofNullable(settings.get("timeout"))
            .flatMap(PostgresSettings::duration)
            .orElse(DEFAULT_TIMEOUT));
  }

  private static Optional<Integer> poolSize(Object given) {
    return given instanceof Number number
            && number.doubleValue() == number.intValue()
            && number.intValue() >= 1
            && number.intValue() <= MAX_POOL
        ? Optional.of(number.intValue())
        : Optional.empty();
  }

  private static Optional<Duration> duration(Object given) {
    Matcher parts = DURATION.matcher(String.valueOf(given));
    if (!parts.matches()) {
      return Optional.empty();
    }
    long count = Long.parseLong(parts.group(1));
    Duration duration =
        switch (parts.group(2)) {
          case "ms" -> Duration.ofMillis(count);
          case "s" -> Duration.ofSeconds(count);
          default -> Duration.ofMinutes(count);
        };
    boolean within = duration.compareTo(MIN_TIMEOUT) >= 0 && duration.compareTo(MAX_TIMEOUT) <= 0;
    return within ? Optional.of(duration) : Optional.empty();
  }

  /** The driver's exceptions repeat the URL, and with it the password: they are not passed on. */
  private static boolean isUrl(@Nullable Object given) {
    if (!(given instanceof String text)
        || !(text.startsWith("postgresql://") || text.startsWith("postgres://"))) {
      return false;
    }
    try {
      PgConnectOptions options = PgConnectOptions.fromUri(text);
      return !options.getHost().isEmpty() && !options.getDatabase().isEmpty();
    } catch (IllegalArgumentException unusable) {
      return false;
    }
  }

  /**
   * What the driver connects with. Statements outside of a transaction of this adapter run under
   * READ COMMITTED whatever the role's default is: the guards refuse anything else.
   */
  PgConnectOptions connectOptions() {
    return PgConnectOptions.fromUri(url)
        .setCachePreparedStatements(true)
        .setReconnectAttempts(0)
        .addProperty("application_name", "fencegate")
        .addProperty("default_transaction_isolation", "read committed");
  }

  /** Host and port, for people; never user, password or database. */
  String place() {
    PgConnectOptions options = PgConnectOptions.fromUri(url);
    String host = options.getHost();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + options.getPort();
  }

  /** Host, port and database; never user or password. */
  String destination() {
    return place() + "/" + PgConnectOptions.fromUri(url).getDatabase();
  }

  private static String shown(Object given) {
    return given instanceof String text ? Parsed.show(text) : Parsed.show(String.valueOf(given));
  }

  @Override
  public String toString() {
    return "PostgresSettings[pool " + poolSize + ", install " + install + "]";
  }
}
