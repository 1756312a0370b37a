/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import io.fencegate.policy.name.Parsed;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Holds a file against the schema and tells what does not fit in the words of the schema. */
final class SchemaCheck {

  /** Keys whose value decides which other keys stand beside it. */
  private static final Set<String> SELECTORS = Set.of("source", "action");

  private final PolicySchema schema = PolicySchema.get();
  private final Map<String, Node> nodes = new HashMap<>();
  private final Set<String> withLaterSelector = new HashSet<>();
  private final Set<String> misspelt = new HashSet<>();
  private final Problems problems;

  private SchemaCheck(Problems problems) {
    this.problems = problems;
  }

  /** In an order in which the first message of a cause is the most helpful one. */
  static void check(Node root, Problems problems) {
    SchemaCheck check = new SchemaCheck(problems);
    List<Error> errors = check.schema.validate(check.json(root));
    for (Stage stage : Stage.values()) {
      errors.stream().filter(error -> check.stageOf(error) == stage).forEach(check::tell);
    }
  }

  /** Values before keys, because a key of a later version often stands beside such a value. */
  private enum Stage {
    VALUES,
    KEYS,
    /** Last: a key that is missing may be there, but misspelt. */
    MISSING_KEYS
  }

  private Stage stageOf(Error error) {
    return switch (error.getKeyword()) {
      case "required" -> Stage.MISSING_KEYS;
      case "additionalProperties", "propertyNames" -> Stage.KEYS;
      case "not" -> isLater(schema.holderOf(error)) ? Stage.KEYS : Stage.VALUES;
      default -> Stage.VALUES;
    };
  }

  /** Whether a schema takes nothing at all: a key of a later version. */
  private static boolean isLater(JsonNode holder) {
    return holder.has("not") && holder.path("not").isEmpty();
  }

  private JsonNode json(Node node) {
    nodes.put(node.pointer(), node);
    JsonNodeFactory factory = JsonNodeFactory.instance;
    if (node instanceof Node.Mapping mapping) {
      ObjectNode object = factory.objectNode();
      mapping.entries().forEach((key, entry) -> object.set(key, json(entry.value())));
      return object;
    }
    if (node instanceof Node.Sequence sequence) {
      ArrayNode array = factory.arrayNode();
      sequence.items().forEach(item -> array.add(json(item)));
      return array;
    }
    Object value = ((Node.Scalar) node).value();
    if (value instanceof Boolean flag) {
      return factory.booleanNode(flag);
    }
    if (value instanceof Double decimal) {
      return factory.numberNode(decimal.doubleValue());
    }
    if (value instanceof Number number) {
      return factory.numberNode(number.longValue());
    }
    return value == null ? factory.nullNode() : factory.textNode((String) value);
  }

  private void tell(Error error) {
    Node node = nodes.get(error.getInstanceLocation().toString());
    if (node == null) {
      return;
    }
    JsonNode holder = schema.holderOf(error);
    switch (error.getKeyword()) {
      case "required" -> tellMissing(node, holder, error.getProperty());
      case "additionalProperties" -> tellUnknown(node, holder, error.getProperty());
      case "propertyNames" ->
          tellKey(node, error.getProperty(), schema.expectedBy(holder.path("propertyNames")));
      case "not" -> {
        if (isLater(holder)) {
          tellLater(node, holder);
        } else {
          tellValue(node, holder);
        }
      }
      default -> tellValue(node, holder);
    }
  }

  private void tellMissing(Node node, JsonNode holder, String name) {
    String pointer = Node.pointer(node.pointer(), name);
    if (!misspelt.contains(pointer)) {
      problems.blame(pointer, node.place(), "nothing", schema.expectedByProperty(holder, name));
    }
  }

  private void tellUnknown(Node node, JsonNode holder, String name) {
    List<String> known = schema.knownKeys(holder);
    Spelling.closest(name, known)
        .ifPresent(meant -> misspelt.add(Node.pointer(node.pointer(), meant)));
    tellKey(node, name, "one of " + String.join(", ", known) + Spelling.hint(name, known));
  }

  private void tellLater(Node node, JsonNode holder) {
    String parent = parentOf(node.pointer());
    if (nodes.get(parent) instanceof Node.Mapping mapping && !withLaterSelector.contains(parent)) {
      mapping.entries().entrySet().stream()
          .filter(entry -> entry.getValue().value() == node)
          .forEach(entry -> tellKey(mapping, entry.getKey(), schema.expectedBy(holder)));
    }
  }

  private void tellValue(Node node, JsonNode holder) {
    if (SELECTORS.contains(node.pointer().substring(node.pointer().lastIndexOf('/') + 1))
        && node instanceof Node.Scalar scalar
        && scalar.value() instanceof String text
        && PolicySchema.laterValues(holder).contains(text)) {
      withLaterSelector.add(parentOf(node.pointer()));
    }
    problems.blame(node, schema.expectedBy(holder));
  }

  private void tellKey(Node parent, String key, String expected) {
    Node.Entry entry = parent instanceof Node.Mapping mapping ? mapping.entries().get(key) : null;
    if (entry != null) {
      problems.blame(
          Node.pointer(parent.pointer(), key),
          entry.key(),
          "the key " + Parsed.show(key),
          expected);
    }
  }

  private static String parentOf(String pointer) {
    return pointer.substring(0, Math.max(0, pointer.lastIndexOf('/')));
  }
}
