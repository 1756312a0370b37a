/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.name.Parsed;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of a mapping. What the file leaves out, or what was blamed before, is empty;
 * what does not fit is blamed and empty.
 */
final class Fields {

  private final @Nullable Node mapping;
  private final Problems problems;

  Fields(@Nullable Node mapping, Problems problems) {
    this.mapping = mapping;
    this.problems = problems;
  }

  Fields in(String key) {
    return new Fields(node(key).orElse(null), problems);
  }

  /** The member, blamed or not. */
  Optional<Node> node(String key) {
    return mapping instanceof Node.Mapping present
        ? Optional.ofNullable(present.get(key))
        : Optional.empty();
  }

  boolean isBlamed(String key) {
    return mapping != null && problems.blames(Node.pointer(mapping.pointer(), key));
  }

  Optional<String> text(String key) {
    return read(key, String.class, "a text", Optional::of);
  }

  Optional<Boolean> flag(String key) {
    return read(key, Boolean.class, "true or false", Optional::of);
  }

  Optional<Long> integer(String key) {
    return read(
        key,
        Number.class,
        "an integer without a decimal point",
        number -> number instanceof Double ? Optional.empty() : Optional.of(number.longValue()));
  }

  Optional<Duration> duration(String key) {
    return read(key, String.class, "a duration such as 30s", Units::duration);
  }

  Optional<Duration> duration(String key, Duration least, Duration most) {
    Optional<Duration> given = duration(key);
    boolean fits =
        given.map(it -> it.compareTo(least) >= 0 && it.compareTo(most) <= 0).orElse(true);
    if (!fits) {
      node(key)
          .ifPresent(
              node ->
                  problems.blame(
                      node, "a duration from " + Units.show(least) + " to " + Units.show(most)));
    }
    return fits ? given : Optional.empty();
  }

  Optional<Long> size(String key, long most, String mostInWords) {
    Optional<Long> given = read(key, String.class, "a size such as 256KiB", Units::size);
    if (given.isPresent() && given.get() > most) {
      node(key).ifPresent(node -> problems.blame(node, "a size of at most " + mostInWords));
      return Optional.empty();
    }
    return given;
  }

  <T> Optional<T> parsed(String key, Function<String, Parsed<T>> parser) {
    Optional<String> text = text(key);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    return parser
        .apply(text.get())
        .fold(
            Optional::of,
            bad -> {
              node(key).ifPresent(node -> problems.blame(node, bad.expected()));
              return Optional.empty();
            });
  }

  private <V, T> Optional<T> read(
      String key, Class<V> type, String expected, Function<V, Optional<T>> reader) {
    Node node = node(key).orElse(null);
    if (node == null || problems.blames(node.pointer())) {
      return Optional.empty();
    }
    Optional<T> value =
        node instanceof Node.Scalar scalar && type.isInstance(scalar.value())
            ? reader.apply(type.cast(scalar.value()))
            : Optional.empty();
    if (value.isEmpty()) {
      problems.blame(node, expected);
    }
    return value;
  }
}
