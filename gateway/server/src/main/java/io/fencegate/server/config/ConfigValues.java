/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import io.fencegate.coordination.etcd.EtcdSettings;
import io.fencegate.ledger.postgres.LedgerSettings;
import io.fencegate.policy.file.Units;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Turns what was given for each key into its type; what does not fit is complained about. */
final class ConfigValues {

  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:%-]{1,253}");
  private static final Pattern DIGITS = Pattern.compile("0|-?[1-9][0-9]{0,17}");
  private static final Pattern KEY_PREFIX =
      Pattern.compile("(?=.{1,64}$)[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*");
  private static final int MAX_PORT = 65_535;

  /** A smaller audit file would be rolled over every few lines. */
  private static final long MIN_AUDIT_BYTES = 1024;

  /** Less is no etcd. */
  private static final long MIN_QUOTA_BYTES = 1 << 20;

  /** The file roller moves every kept file by one name at each roll, so it takes no more. */
  private static final int MAX_AUDIT_FILES = 20;

  private final Map<ConfigKey, Given> given;
  private final Path base;
  private final List<String> complaints = new ArrayList<>();

  /**
   * Values for one load.
   *
   * @param base what relative paths are relative to
   */
  ConfigValues(Map<ConfigKey, Given> given, Path base) {
    this.given = given;
    this.base = base;
  }

  List<String> complaints() {
    return complaints;
  }

  String host(ConfigKey key) {
    return read(
        key,
        "a host name or an address such as 127.0.0.1",
        it -> text(it).filter(text -> HOST.matcher(text).matches()),
        key.defaultText());
  }

  /** Where a port can be reached. */
  Optional<Listener> optionalAddress(ConfigKey key) {
    List<Listener> none = List.of();
    return read(
            key,
            "host:port, such as 10.0.0.7:8080 or [fd00::7]:8080",
            it -> text(it).flatMap(ConfigValues::address).map(List::of),
            none)
        .stream()
        .findFirst();
  }

  private static Optional<Listener> address(String text) {
    return Listener.parse(text).fold(Optional::of, bad -> Optional.empty());
  }

  int integer(ConfigKey key, int least, int most) {
    return read(
        key,
        "an integer from " + least + " to " + most,
        it -> number(it).filter(n -> n >= least && n <= most).map(Long::intValue),
        Integer.parseInt(key.defaultText()));
  }

  int port(ConfigKey key) {
    return integer(key, 0, MAX_PORT);
  }

  int auditFiles(ConfigKey key) {
    return integer(key, 1, MAX_AUDIT_FILES);
  }

  long auditBytes(ConfigKey key) {
    return read(
        key,
        "a size of at least 1KiB, such as " + key.defaultText(),
        it -> text(it).flatMap(Units::size).filter(bytes -> bytes >= MIN_AUDIT_BYTES),
        Units.size(key.defaultText()).orElseThrow());
  }

  Path path(ConfigKey key) {
    return read(
        key,
        "a path",
        it -> text(it).filter(text -> !text.isBlank()).flatMap(ConfigValues::path).map(this::based),
        based(Path.of(key.defaultText())));
  }

  Optional<Path> optionalPath(ConfigKey key) {
    return isGiven(key) ? Optional.of(path(key)) : Optional.empty();
  }

  /** A text of any kind but blank. */
  Optional<String> optionalText(ConfigKey key) {
    String text = read(key, "a text", it -> text(it).filter(given -> !given.isBlank()), "");
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  String word(ConfigKey key, Set<String> known) {
    return read(
        key,
        "one of " + new TreeSet<>(known),
        it -> text(it).filter(known::contains),
        key.defaultText());
  }

  String keyPrefix(ConfigKey key) {
    return read(
        key,
        "1 to 64 letters, digits, '.', '_' and '-', parts joined by '/'",
        it -> text(it).filter(text -> KEY_PREFIX.matcher(text).matches()),
        key.defaultText());
  }

  long quotaBytes(ConfigKey key) {
    return read(
        key,
        "a size of at least 1MiB, such as " + key.defaultText(),
        it -> text(it).flatMap(Units::size).filter(bytes -> bytes >= MIN_QUOTA_BYTES),
        Units.size(key.defaultText()).orElseThrow());
  }

  /** One or more; none where the key is not given. */
  List<URI> endpoints(ConfigKey key) {
    return read(
        key,
        "one or more of http://host:port or https://host:port",
        it -> text(it).flatMap(ConfigValues::uris),
        List.of());
  }

  private static Optional<List<URI>> uris(String text) {
    List<URI> uris = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      try {
        uris.add(new URI(part.strip()));
      } catch (URISyntaxException e) {
        return Optional.empty();
      }
    }
    return uris.stream().allMatch(EtcdSettings::isEndpoint)
        ? Optional.of(List.copyOf(uris))
        : Optional.empty();
  }

  boolean isGiven(ConfigKey key) {
    return given.containsKey(key);
  }

  /** Says that what was given for a key, or its default, does not go with the others. */
  void complain(ConfigKey key, String expected) {
    Given value = given.get(key);
    complaints.add(
        value == null
            ? key.path() + ": '" + key.defaultText() + "' was given, expected " + expected
            : value.complaint().apply(expected));
  }

  void complainIfGiven(ConfigKey key, String expected) {
    if (isGiven(key)) {
      complain(key, expected);
    }
  }

  boolean flag(ConfigKey key) {
    return read(key, "true or false", ConfigValues::truth, Boolean.parseBoolean(key.defaultText()));
  }

  private static Optional<Boolean> truth(Given given) {
    if (given.value() instanceof Boolean value) {
      return Optional.of(value);
    }
    return given.isSpelled()
        ? text(given).filter(it -> it.equals("true") || it.equals("false")).map(Boolean::valueOf)
        : Optional.empty();
  }

  /** The address of a PostgreSQL, with user and password in it. */
  Optional<String> databaseUrl(ConfigKey key) {
    String url =
        read(key, LedgerSettings.EXPECTED_URL, it -> text(it).filter(LedgerSettings::isUrl), "");
    return url.isEmpty() ? Optional.empty() : Optional.of(url);
  }

  private static Optional<String> text(Given given) {
    return given.value() instanceof String text ? Optional.of(text) : Optional.empty();
  }

  private static Optional<Long> number(Given given) {
    if (given.value() instanceof Integer || given.value() instanceof Long) {
      return Optional.of(((Number) given.value()).longValue());
    }
    return given.isSpelled()
        ? text(given).filter(text -> DIGITS.matcher(text).matches()).map(Long::valueOf)
        : Optional.empty();
  }

  private static Optional<Path> path(String text) {
    try {
      return Optional.of(Path.of(text));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  private Path based(Path path) {
    return base.resolve(path).normalize();
  }

  private <T> T read(
      ConfigKey key, String expected, Function<Given, Optional<T>> reader, T fallback) {
    Given value = given.get(key);
    if (value == null) {
      return fallback;
    }
    Optional<T> read = reader.apply(value);
    if (read.isEmpty()) {
      complaints.add(value.complaint().apply(expected));
    }
    return read.orElse(fallback);
  }
}
