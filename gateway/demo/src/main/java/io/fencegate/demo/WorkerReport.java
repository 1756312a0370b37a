/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a worker process tells the demo: one line each on its standard output, {@code kind
 * name=value ..} with percent-encoded values. Never a lease id.
 *
 * @param kind what happened
 * @param facts its details by name
 */
record WorkerReport(Kind kind, Map<String, String> facts) {

  /** Everything that a worker tells. */
  enum Kind {
    /** It begins to ask for the lock. */
    ASKING,
    /** It has not got the lock yet and goes on asking: {@code code}, {@code detail}. */
    WAITING,
    /** It has the lock: {@code token}, {@code ttlMillis}. */
    HELD,
    /** So far: {@code done}, {@code applied}, {@code replayed}, {@code of}. */
    PROGRESS,
    /** The answer to a write is not known: {@code posting}, {@code why}. */
    UNKNOWN,
    /** The SDK itself did not send a write: {@code posting}, {@code why}. */
    NOT_SENT,
    /** It sends the write past the SDK's own check: {@code posting}, {@code token}. */
    INSISTING,
    /** The gateway refused: {@code posting}, {@code status}, {@code code}, {@code detail}. */
    REFUSED,
    /** A write that should have been refused was not: {@code posting}. */
    LET_THROUGH,
    /** The end: {@code applied}, {@code replayed}, {@code unknown}, {@code complete}. */
    DONE,
    /** It gave up: {@code why}. */
    FAILED
  }

  private static final Pattern FACT = Pattern.compile("[a-zA-Z]{1,20}=[\\x21-\\x7e]*");

  WorkerReport {
    facts = Map.copyOf(facts);
  }

  static WorkerReport of(Kind kind, Object... namesAndValues) {
    Map<String, String> facts = new LinkedHashMap<>();
    for (int i = 0; i + 1 < namesAndValues.length; i += 2) {
      facts.put(namesAndValues[i].toString(), namesAndValues[i + 1].toString());
    }
    return new WorkerReport(kind, facts);
  }

  String line() {
    StringBuilder line = new StringBuilder(kind.name());
    facts.forEach(
        (name, value) ->
            line.append(' ')
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
    return line.toString();
  }

  /** The report in a line; empty when it is not exactly one. */
  static Optional<WorkerReport> parse(String line) {
    String[] words = line.split(" ", -1);
    Map<String, String> facts = new LinkedHashMap<>();
    for (int i = 1; i < words.length; i++) {
      if (!FACT.matcher(words[i]).matches()) {
        return Optional.empty();
      }
      int equals = words[i].indexOf('=');
      String value;
      try {
        value = URLDecoder.decode(words[i].substring(equals + 1), StandardCharsets.UTF_8);
      } catch (IllegalArgumentException badEncoding) {
        return Optional.empty();
      }
      if (facts.put(words[i].substring(0, equals), value) != null) {
        return Optional.empty();
      }
    }
    for (Kind kind : Kind.values()) {
      if (kind.name().equals(words[0])) {
        return Optional.of(new WorkerReport(kind, facts));
      }
    }
    return Optional.empty();
  }

  String fact(String name) {
    return facts.getOrDefault(name, "?");
  }

  /** A whole number; -1 when it is absent or none. */
  int number(String name) {
    try {
      return Integer.parseInt(facts.getOrDefault(name, ""));
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
