/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a JSON object, read strictly: no duplicates, no unknown ones, no text where a
 * number is expected. Remembers the first thing that was wrong; ask {@link #problem()} before using
 * what was read.
 */
final class JsonFields {

  /** Deeper nesting has no use here and could exhaust a stack. */
  private static final int MAX_DEPTH = 32;

  private static final int MAX_NUMBER_CHARS = 500;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxNumberLength(MAX_NUMBER_CHARS)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private final ObjectNode object;
  private final String path;
  private @Nullable Refusal problem;

  private JsonFields(ObjectNode object, String path) {
    this.object = object;
    this.path = path;
  }

  /** The object that a body consists of, with no other fields than the known ones. */
  static Ruling<JsonFields> parse(Buffer body, List<String> known) {
    JsonNode node;
    try {
      node = MAPPER.readTree(body.getBytes());
    } catch (JsonProcessingException e) {
      return refused("body", "no valid JSON (" + firstLine(e.getOriginalMessage()) + ")");
    } catch (IOException e) {
      return refused("body", "no valid JSON");
    }
    return node instanceof ObjectNode object
        ? of(object, "", known)
        : refused("body", "no JSON object");
  }

  static Ruling<JsonFields> of(ObjectNode object, String path, List<String> known) {
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (!known.contains(field.getKey())) {
        return Ruling.refused(
            RefusalCode.INVALID_REQUEST
                .because(
                    "the unknown field "
                        + Parsed.show(path + field.getKey())
                        + " was given, expected "
                        + (known.isEmpty() ? "none" : "one of " + known))
                .atField(path + field.getKey()));
      }
    }
    return Ruling.granted(new JsonFields(object, path));
  }

  private static Ruling<JsonFields> refused(String field, String given) {
    return Ruling.refused(RefusalCode.INVALID_REQUEST.because(given + " was given").atField(field));
  }

  private static String firstLine(String message) {
    // Some of the parser's messages go on about its own settings.
    String line = message.lines().findFirst().orElse("").split(" \\(?(start marker|at \\[)", 2)[0];
    return line.length() > 120 ? line.substring(0, 120) : line;
  }

  Optional<Refusal> problem() {
    return Optional.ofNullable(problem);
  }

  /** A string that a strict parser takes; empty where it is missing or wrong. */
  <T> Optional<T> text(String name, RefusalCode code, Function<String, Parsed<T>> parser) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return Optional.empty();
    }
    if (!node.isTextual()) {
      return wrong(name, kind(node), "a string");
    }
    return parser
        .apply(node.textValue())
        .fold(
            Optional::of,
            bad -> {
              note(Refusal.malformed(code, path + name, bad));
              return Optional.empty();
            });
  }

  <T> Optional<T> requiredText(String name, RefusalCode code, Function<String, Parsed<T>> parser) {
    Optional<T> value = text(name, code, parser);
    if (value.isEmpty()) {
      note(code.because(path + name + " is missing").atField(path + name));
    }
    return value;
  }

  /** A whole number within bounds; empty where it is missing or wrong. */
  Optional<Long> number(String name, long least, long most) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return Optional.empty();
    }
    boolean fits =
        node.isIntegralNumber()
            && node.canConvertToLong()
            && node.longValue() >= least
            && node.longValue() <= most;
    return fits
        ? Optional.of(node.longValue())
        : wrong(name, shown(node), "a whole number from " + least + " to " + most);
  }

  /** An object as JSON text with its keys in order, at most {@code maxBytes} of UTF-8. */
  Optional<String> objectText(String name, int maxBytes) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return Optional.empty();
    }
    if (!node.isObject()) {
      return wrong(name, kind(node), "an object");
    }
    String text = canonical(node);
    return text.getBytes(StandardCharsets.UTF_8).length <= maxBytes
        ? Optional.of(text)
        : wrong(
            name,
            "an object of " + text.length() + " characters",
            "at most " + maxBytes + " bytes");
  }

  /** The value of a field, of whatever kind; null where it is missing. */
  @Nullable JsonNode node(String name) {
    return object.get(name);
  }

  <T> Optional<T> wrong(String name, String given, String expected) {
    note(
        RefusalCode.INVALID_REQUEST
            .because(path + name + ": " + given + " was given, expected " + expected)
            .atField(path + name));
    return Optional.empty();
  }

  private void note(Refusal refusal) {
    if (problem == null) {
      problem = refusal;
    }
  }

  static String canonical(JsonNode node) {
    try {
      return MAPPER.writeValueAsString(MAPPER.treeToValue(node, TreeMap.class));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a parsed tree can be written", e);
    }
  }

  static String text(JsonNode node) {
    return node.toString();
  }

  private static String shown(JsonNode node) {
    return node.isValueNode() ? Parsed.show(node.asText()) : kind(node);
  }

  static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case ARRAY -> "an array";
      case OBJECT, POJO -> "an object";
      case STRING -> "a string";
      case NUMBER -> "a number";
      case BOOLEAN -> "a boolean";
      case NULL, MISSING, BINARY -> "null";
    };
  }
}
