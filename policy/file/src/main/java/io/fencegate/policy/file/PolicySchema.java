/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.PathType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The JSON Schema of policy files: the same file serves editors and the loader. A schema's {@code
 * title} says what is expected there and {@code $comment} names the values that are not in this
 * version, so that messages need no second list.
 */
final class PolicySchema {

  private static final String RESOURCE = "fencegate-policy.schema.json";
  private static final String LATER = "not in this version: ";
  private static final PolicySchema INSTANCE = new PolicySchema(text());

  private final JsonNode document;
  private final Schema schema;

  private PolicySchema(String text) {
    try {
      document = new ObjectMapper().readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE + " is not JSON", e);
    }
    SchemaRegistryConfig config =
        SchemaRegistryConfig.builder().pathType(PathType.JSON_POINTER).locale(Locale.ROOT).build();
    schema =
        SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_7, builder -> builder.schemaRegistryConfig(config))
            .getSchema(document);
  }

  static PolicySchema get() {
    return INSTANCE;
  }

  /** The schema as it is shipped. */
  static String text() {
    try (InputStream in = PolicySchema.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException(RESOURCE + " is missing beside this class");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE + " cannot be read", e);
    }
  }

  List<Error> validate(JsonNode instance) {
    return schema.validate(instance);
  }

  /** The schema that holds the keyword of an error. */
  JsonNode holderOf(Error error) {
    String fragment = error.getSchemaLocation().getFragment().toString();
    int end = fragment.lastIndexOf('/' + error.getKeyword());
    return document.at(end < 0 ? "" : fragment.substring(0, end));
  }

  /** What a schema expects, in words for the middle of a sentence. */
  String expectedBy(JsonNode holder) {
    String title = follow(holder).path("title").asText("another value");
    List<String> later = laterValues(holder);
    return later.isEmpty()
        ? title
        : title + " (not in this version: " + String.join(", ", later) + ")";
  }

  /** What the property {@code name} of an object's schema expects. */
  String expectedByProperty(JsonNode holder, String name) {
    return follow(holder.path("properties").path(name)).path("title").asText("a value");
  }

  /** Values that later versions will know. */
  static List<String> laterValues(JsonNode holder) {
    String comment = holder.path("$comment").asText("");
    return comment.startsWith(LATER)
        ? Arrays.asList(comment.substring(LATER.length()).split(", ", -1))
        : List.of();
  }

  /** The keys that an object's schema knows, without those of later versions. */
  List<String> knownKeys(JsonNode holder) {
    List<String> keys = new ArrayList<>();
    holder
        .path("properties")
        .properties()
        .forEach(
            property -> {
              if (!follow(property.getValue()).has("not")) {
                keys.add(property.getKey());
              }
            });
    return keys;
  }

  private JsonNode follow(JsonNode node) {
    JsonNode reference =
        node.has("$ref") ? node.get("$ref") : node.path("allOf").path(0).path("$ref");
    return reference.isTextual() ? document.at(reference.asText().substring(1)) : node;
  }
}
