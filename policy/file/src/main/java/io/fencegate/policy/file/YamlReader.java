/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.name.Parsed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionEndEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Strict reading of one YAML file: one document of mappings, lists and scalars. Anchors, aliases
 * and tags are refused (so nothing can grow), keys are text and unique, and nothing unquoted
 * changes its type by surprise.
 */
final class YamlReader {

  /** The largest file in bytes: a policy is some 500 bytes, so this is some 2,000 of them. */
  static final int MAX_BYTES = 1024 * 1024;

  /** The deepest nesting; the format itself needs 6, adapters' settings a few more. */
  static final int MAX_DEPTH = 32;

  private static final String UNDEFINED_TAG = "found undefined tag handle";

  private final SourceFile file;
  private final Problems problems;
  private final Placeholders placeholders;
  private final Parser parser;

  private YamlReader(SourceFile file, Problems problems, ValueResolver resolver) {
    this.file = file;
    this.problems = problems;
    this.placeholders = new Placeholders(resolver);
    this.parser = new ParserImpl(new StreamReader(file.text()), new LoaderOptions());
  }

  /** The file's tree; empty where the file has none, and then the problems say why. */
  static Optional<Node> read(SourceFile file, ValueResolver resolver, Problems problems) {
    int bytes = file.text().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_BYTES) {
      problems.blame("", Place.START, "a file of " + bytes + " bytes", "at most 1 MiB");
      return Optional.empty();
    }
    return isPrintable(file.text(), problems)
        ? new YamlReader(file, problems, resolver).document()
        : Optional.empty();
  }

  /** Refuses control characters, and line breaks that editors do not count as such. */
  private static boolean isPrintable(String text, Problems problems) {
    int line = 1;
    int column = 1;
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int c = text.codePointAt(i);
      boolean breaksOddly = c == 0x85 || c == 0x2028 || c == 0x2029;
      if (breaksOddly || !StreamReader.isPrintable(c)) {
        problems.blame(
            "",
            new Place(line, column),
            String.format("the character U+%04X", c),
            "printable text, and LF or CR LF between lines");
        return false;
      }
      boolean ends = c == '\n' || (c == '\r' && !text.startsWith("\n", i + 1));
      line += ends ? 1 : 0;
      column = ends ? 1 : column + 1;
    }
    return true;
  }

  private Optional<Node> document() {
    try {
      parser.getEvent();
      if (parser.checkEvent(Event.ID.StreamEnd)) {
        problems.blame("", Place.START, "an empty file", "apiVersion, adapters and resources");
        return Optional.empty();
      }
      parser.getEvent();
      Node root = node("", null, 0);
      parser.getEvent();
      if (!parser.checkEvent(Event.ID.StreamEnd)) {
        problems.note(
            "", place(parser.peekEvent().getStartMark()), "a second document", "one per file");
      }
      return Optional.of(root);
    } catch (MarkedYAMLException e) {
      tellSyntax(e);
      return Optional.empty();
    }
  }

  private void tellSyntax(MarkedYAMLException e) {
    Mark mark = e.getProblemMark() == null ? e.getContextMark() : e.getProblemMark();
    Place place = mark == null ? Place.START : place(mark);
    String hint =
        isPlaceholder(place) ? " (a ${..} inside { } or [ ] needs quotes around its text)" : "";
    problems.note(
        "",
        place,
        "text that is not YAML (" + withoutNames(e.getProblem()) + ")",
        "valid YAML" + hint);
  }

  /** An unquoted password may look like a tag; its text is not for messages. */
  private static String withoutNames(@Nullable String problem) {
    return problem == null || problem.startsWith(UNDEFINED_TAG) ? "an undefined tag" : problem;
  }

  private static String shown(String pointer, String text) {
    return mayBeSecret(pointer) ? "of a setting" : Parsed.show(text);
  }

  /** Whether the character before this place, a brace, is a dollar sign. */
  private boolean isPlaceholder(Place place) {
    return file.text()
        .lines()
        .skip(place.line() - 1)
        .findFirst()
        .filter(line -> place.column() >= 2 && place.column() <= line.length())
        .map(line -> line.startsWith("${", place.column() - 2))
        .orElse(false);
  }

  private Node node(String pointer, @Nullable Place key, int depth) {
    Event event = parser.getEvent();
    Place place = place(event.getStartMark());
    refuseProperties(pointer, place, event);
    if (event instanceof ScalarEvent scalar) {
      return scalar(pointer, place, scalar);
    }
    if (event instanceof CollectionStartEvent) {
      if (depth == MAX_DEPTH) {
        problems.blame(pointer, place, "nesting deeper than " + MAX_DEPTH, "less nesting");
        skipCollection();
        return new Node.Scalar(pointer, place, null, "nothing");
      }
      Place told = key == null ? place : key;
      return event instanceof MappingStartEvent
          ? mapping(pointer, told, depth)
          : sequence(pointer, told, depth);
    }
    return new Node.Scalar(pointer, place, null, "nothing");
  }

  private void refuseProperties(String pointer, Place place, Event event) {
    String tag = null;
    if (event instanceof ScalarEvent scalar) {
      tag = scalar.getTag();
    } else if (event instanceof CollectionStartEvent start) {
      tag = start.getTag();
    }
    if (tag != null) {
      problems.blame(pointer, place, "the tag " + shown(pointer, tag), "a value without a tag");
    }
    String anchor = event instanceof NodeEvent named ? named.getAnchor() : null;
    if (anchor != null) {
      String kind = event instanceof AliasEvent ? "the alias " : "the anchor ";
      problems.blame(
          pointer,
          place,
          kind + shown(pointer, anchor),
          "the value itself: anchors and aliases are not supported");
    }
  }

  private Node mapping(String pointer, Place place, int depth) {
    Map<String, Node.Entry> entries = new LinkedHashMap<>();
    while (!(parser.peekEvent() instanceof CollectionEndEvent)) {
      Event event = parser.getEvent();
      Place at = place(event.getStartMark());
      if (!(event instanceof ScalarEvent scalar)) {
        problems.note(pointer, at, "a key that is not a scalar", "text as the key");
        if (event instanceof CollectionStartEvent) {
          skipCollection();
        }
        skipNode();
        continue;
      }
      String key = scalar.getValue();
      String child = Node.pointer(pointer, key);
      refuseProperties(child, at, scalar);
      Node.Entry first = entries.get(key);
      if (first != null) {
        problems.note(
            child,
            at,
            Parsed.show(key) + " a second time (first in line " + first.key().line() + ")",
            "each key once");
        skipNode();
      } else if (key.equals("<<") && scalar.getScalarStyle() == ScalarStyle.PLAIN) {
        problems.note(child, at, "the merge key '<<'", "the keys themselves");
        skipNode();
      } else {
        entries.put(key, new Node.Entry(at, node(child, at, depth + 1)));
      }
    }
    parser.getEvent();
    return new Node.Mapping(pointer, place, entries);
  }

  private Node sequence(String pointer, Place place, int depth) {
    List<Node> items = new ArrayList<>();
    while (!(parser.peekEvent() instanceof CollectionEndEvent)) {
      items.add(node(pointer + "/" + items.size(), null, depth + 1));
    }
    parser.getEvent();
    return new Node.Sequence(pointer, place, items);
  }

  private Node scalar(String pointer, Place place, ScalarEvent event) {
    String text = event.getValue();
    boolean secret = mayBeSecret(pointer);
    if (event.getScalarStyle() != ScalarStyle.PLAIN) {
      return text(pointer, place, text, secret);
    }
    PlainScalar plain = PlainScalar.of(text);
    if (plain instanceof PlainScalar.Ambiguous ambiguous) {
      String given = secret ? "an unquoted value" : Parsed.show(text);
      problems.blame(pointer, place, given, ambiguous.expected());
      return new Node.Scalar(pointer, place, text, given);
    }
    Object value = ((PlainScalar.Typed) plain).value();
    if (value == null) {
      return new Node.Scalar(pointer, place, null, "nothing");
    }
    if (value instanceof String) {
      return text(pointer, place, text, secret);
    }
    String kind = value instanceof Boolean ? "" : "the number ";
    return new Node.Scalar(pointer, place, value, secret ? "a value" : kind + text);
  }

  private Node text(String pointer, Place place, String text, boolean secret) {
    String shown = secret ? "a text" : Parsed.show(text);
    String resolved =
        placeholders.resolve(
            text, (given, expected) -> problems.blameFully(pointer, place, given, expected));
    return new Node.Scalar(pointer, place, resolved, shown);
  }

  /** Settings of adapters are not ours to judge; one of them may be a password in plain text. */
  private static boolean mayBeSecret(String pointer) {
    return pointer.equals("/coordinator/password")
        || (pointer.startsWith("/adapters/") && !pointer.matches("/adapters/[^/]*/type"));
  }

  private void skipNode() {
    if (parser.getEvent() instanceof CollectionStartEvent) {
      skipCollection();
    }
  }

  /** Skips to the end of the collection that has just begun, however deep it is. */
  private void skipCollection() {
    int open = 1;
    while (open > 0) {
      Event event = parser.getEvent();
      if (event instanceof CollectionStartEvent) {
        open++;
      } else if (event instanceof CollectionEndEvent) {
        open--;
      }
    }
  }

  private static Place place(Mark mark) {
    return new Place(mark.getLine() + 1, mark.getColumn() + 1);
  }

  @Override
  public String toString() {
    return "YamlReader[" + file.name() + "]";
  }
}
