/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.NamedDestination;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.name.Parsed;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An adapter's settings.
 *
 * @param url scheme, host and port
 * @param timeout the longest that one request may take, the caller's upload included, 100 ms to 1
 *     min: below the time after which the gateway closes a connection on which nothing moves
 * @param connectTimeout the longest wait for a connection, of the pool or new, 100 ms to 1 min
 * @param poolSize connections at most, 1 to 1000
 * @param poolQueue requests that may wait for one, 0 to 10,000
 */
record HttpSettings(
    URI url,
    FencingMode fencing,
    Duration timeout,
    Duration connectTimeout,
    int poolSize,
    int poolQueue,
    Optional<Probe> probe,
    boolean http2) {

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration DEFAULT_CONNECT = Duration.ofSeconds(1);
  private static final int DEFAULT_POOL = 64;
  private static final int DEFAULT_QUEUE = 256;
  private static final int MAX_POOL = 1_000;
  private static final int MAX_QUEUE = 10_000;
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Set<String> KNOWN =
      Set.of(
          "url",
          "destination",
          "fencing",
          "etag",
          "timeout",
          "connectTimeout",
          "pool",
          "probe",
          "http2");
  private static final Set<String> KNOWN_PROBE = Set.of("path");
  private static final Set<String> KNOWN_POOL = Set.of("size", "queue");
  private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,8})(ms|s|m)");
  private static final String VERSIONED = "versioned";
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;
  private static final int MAX_PORT = 65_535;

  static List<PolicyProblem> problems(AdapterConfig config) {
    String root = "/adapters/" + config.name();
    Map<String, Object> settings = config.settings();
    List<PolicyProblem> problems = new ArrayList<>();
    unknown(root, settings, KNOWN, problems);
    if (url(settings.get("url")).isEmpty()) {
      Object given = settings.get("url");
      problems.add(
          new PolicyProblem(
              given == null ? root : root + "/url",
              given == null ? "no url" : "an unusable url",
              "http://host:port or https://host:port, without user, path or query"));
    }
    NamedDestination.problem(config).ifPresent(problems::add);
    checkFencing(root, settings.get("fencing"), settings.get("etag"), problems);
    checkDuration(root, "timeout", settings, LONGEST, problems);
    checkDuration(root, "connectTimeout", settings, LONGEST, problems);
    checkPool(root + "/pool", settings.get("pool"), problems);
    Object http2 = settings.get("http2");
    if (http2 != null && !(http2 instanceof Boolean)) {
      problems.add(new PolicyProblem(root + "/http2", shown(http2), "true or false"));
    }
    checkProbe(root + "/probe", settings.get("probe"), mode(settings.get("fencing")), problems);
    return problems;
  }

  /** What conditional rests on is the policy's word, so it has to be given. */
  private static void checkFencing(
      String root, @Nullable Object fencing, @Nullable Object etag, List<PolicyProblem> problems) {
    if (fencing != null && FencingMode.named(String.valueOf(fencing)).isEmpty()) {
      problems.add(
          new PolicyProblem(
              root + "/fencing", shown(fencing), "one of serialized, conditional, downstream"));
      return;
    }
    boolean conditional = FencingMode.CONDITIONAL == mode(fencing);
    if (etag == null && conditional) {
      problems.add(
          new PolicyProblem(
              root + "/fencing",
              "'conditional' without 'etag'",
              "'etag: versioned' beside it: the service's ETags are strong, change with every"
                  + " write and are never used again"));
    } else if (etag != null && !conditional) {
      problems.add(
          new PolicyProblem(
              root + "/etag", "setting 'etag'", "it with 'fencing: conditional' only"));
    } else if (etag != null && !VERSIONED.equals(etag)) {
      problems.add(new PolicyProblem(root + "/etag", shown(etag), "'" + VERSIONED + "'"));
    }
  }

  private static FencingMode mode(@Nullable Object fencing) {
    return Optional.ofNullable(fencing)
        .flatMap(it -> FencingMode.named(String.valueOf(it)))
        .orElse(FencingMode.SERIALIZED);
  }

  private static void unknown(
      String root, Map<?, ?> given, Set<String> known, List<PolicyProblem> problems) {
    for (Object key : given.keySet()) {
      if (!known.contains(String.valueOf(key))) {
        String name = String.valueOf(key);
        problems.add(
            new PolicyProblem(
                root + "/" + name.replace("~", "~0").replace("/", "~1"),
                "setting " + Parsed.show(name),
                "one of " + new TreeSet<>(known)));
      }
    }
  }

  private static void checkDuration(
      String root,
      String key,
      Map<String, Object> settings,
      Duration longest,
      List<PolicyProblem> problems) {
    Object given = settings.get(key);
    if (given != null && duration(given, longest).isEmpty()) {
      problems.add(
          new PolicyProblem(
              root + "/" + key,
              shown(given),
              "a duration from 100ms to " + longest.toMinutes() + "m"));
    }
  }

  private static void checkPool(
      String pointer, @Nullable Object pool, List<PolicyProblem> problems) {
    if (pool == null) {
      return;
    }
    if (!(pool instanceof Map<?, ?> map)) {
      problems.add(new PolicyProblem(pointer, shown(pool), "a map with 'size' and 'queue'"));
      return;
    }
    unknown(pointer, map, KNOWN_POOL, problems);
    checkNumber(pointer + "/size", map.get("size"), 1, MAX_POOL, problems);
    checkNumber(pointer + "/queue", map.get("queue"), 0, MAX_QUEUE, problems);
  }

  private static void checkProbe(
      String pointer, @Nullable Object probe, FencingMode mode, List<PolicyProblem> problems) {
    if (probe == null) {
      return;
    }
    if (mode == FencingMode.CONDITIONAL) {
      problems.add(
          new PolicyProblem(
              pointer, "setting 'probe'", "none with 'fencing: conditional': nobody waits there"));
    } else if (!(probe instanceof Map<?, ?> map)) {
      problems.add(new PolicyProblem(pointer, shown(probe), "a map with 'path'"));
    } else {
      unknown(pointer, map, KNOWN_PROBE, problems);
      if (Probe.of(map.get("path")).isEmpty()) {
        problems.add(
            new PolicyProblem(
                map.get("path") == null ? pointer : pointer + "/path",
                map.get("path") == null ? "no path" : shown(map.get("path")),
                "a path with one {id}, such as /fencing/writes/{id}"));
      }
    }
  }

  private static void checkNumber(
      String pointer, @Nullable Object given, int least, int most, List<PolicyProblem> problems) {
    if (given != null && number(given, least, most).isEmpty()) {
      problems.add(
          new PolicyProblem(pointer, shown(given), "a whole number from " + least + " to " + most));
    }
  }

  /** The settings; {@link #problems} found none before. */
  static HttpSettings of(AdapterConfig config) {
    Map<String, Object> settings = config.settings();
    Map<?, ?> pool = settings.get("pool") instanceof Map<?, ?> map ? map : Map.of();
    return new HttpSettings(
        url(settings.get("url")).orElseThrow(),
        mode(settings.get("fencing")),
        Optional.ofNullable(settings.get("timeout"))
            .flatMap(it -> duration(it, LONGEST))
            .orElse(DEFAULT_TIMEOUT),
        Optional.ofNullable(settings.get("connectTimeout"))
            .flatMap(it -> duration(it, LONGEST))
            .orElse(DEFAULT_CONNECT),
        number(pool.get("size"), 1, MAX_POOL).orElse(DEFAULT_POOL),
        number(pool.get("queue"), 0, MAX_QUEUE).orElse(DEFAULT_QUEUE),
        settings.get("probe") instanceof Map<?, ?> probe
            ? Probe.of(probe.get("path"))
            : Optional.empty(),
        Boolean.TRUE.equals(settings.get("http2")));
  }

  private static OptionalInt number(@Nullable Object given, int least, int most) {
    return given instanceof Number number
            && number.doubleValue() == number.intValue()
            && number.intValue() >= least
            && number.intValue() <= most
        ? OptionalInt.of(number.intValue())
        : OptionalInt.empty();
  }

  private static Optional<Duration> duration(Object given, Duration longest) {
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
    boolean within = duration.compareTo(SHORTEST) >= 0 && duration.compareTo(longest) <= 0;
    return within ? Optional.of(duration) : Optional.empty();
  }

  private static Optional<URI> url(@Nullable Object given) {
    if (!(given instanceof String text)) {
      return Optional.empty();
    }
    try {
      URI url = new URI(text);
      boolean scheme = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      String path = url.getRawPath();
      boolean bare =
          url.getRawUserInfo() == null
              && url.getRawQuery() == null
              && url.getRawFragment() == null
              && (path == null || path.isEmpty() || path.equals("/"));
      boolean port = url.getPort() == -1 || (url.getPort() > 0 && url.getPort() <= MAX_PORT);
      return scheme && bare && port && url.getHost() != null ? Optional.of(url) : Optional.empty();
    } catch (URISyntaxException unusable) {
      return Optional.empty();
    }
  }

  boolean encrypted() {
    return "https".equals(url.getScheme());
  }

  String host() {
    String host = url.getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  int port() {
    return url.getPort() > 0 ? url.getPort() : encrypted() ? HTTPS_PORT : HTTP_PORT;
  }

  private static String shown(Object given) {
    return Parsed.show(String.valueOf(given));
  }
}
