/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import static io.fencegate.policy.file.PolicyFilesFixture.example;
import static io.fencegate.policy.file.PolicyFilesFixture.load;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** Whatever happens to a good file, loading it gives policies or messages within the file. */
class MutatedFilesTest {

  private static final int RUNS = Boolean.getBoolean("fencegate.full") ? 50_000 : 2_500;
  private static final List<Object> OTHER_VALUES =
      List.of(
          "",
          "x",
          "no",
          "1e3",
          "5s",
          "2MiB",
          "${env:NOPE}",
          "${env:LEDGER_URL}",
          "${",
          "shadow",
          "http",
          "a/{b}/{b}",
          5,
          -1,
          2.5,
          99_999_999_999L,
          true,
          List.of(),
          List.of("x", 1),
          Map.of(),
          Map.of("type", "memory"),
          Map.of("a~/b", Map.of("c", "d")));
  private static final List<String> OTHER_KEYS =
      List.of("x", "waiting", "nmae", "", "a/b~c", "type", "sql", "<<", "minRows", "é");
  private static final String ODD_CHARACTERS =
      "\t\n\r :#-{}[]&*!|>'\"%@`,?~\\${<=0a\u0000\u2028\uFEFF\uD800";

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  @Test
  void mutatedNodesNeverThrow() {
    for (int run = 0; run < RUNS; run++) {
      Object tree = new Yaml().load(example());
      for (int mutations = 1 + random.nextInt(3); mutations > 0; mutations--) {
        tree = mutate(tree);
      }
      DumperOptions options = new DumperOptions();
      options.setDefaultFlowStyle(
          random.nextBoolean() ? DumperOptions.FlowStyle.BLOCK : DumperOptions.FlowStyle.AUTO);
      isToldWithinTheFile(new Yaml(options).dump(tree));
    }
  }

  @Test
  void mutatedTextNeverThrows() {
    for (int run = 0; run < RUNS; run++) {
      StringBuilder text = new StringBuilder(example());
      for (int mutations = 1 + random.nextInt(4); mutations > 0; mutations--) {
        mutate(text);
      }
      isToldWithinTheFile(text.toString());
    }
  }

  private void isToldWithinTheFile(String text) {
    String context = "seed " + seed + ", file:\n" + text;
    List<PolicyMessage> messages = new ArrayList<>();
    assertThatCode(() -> load(text).fold(policies -> true, messages::addAll))
        .as(context)
        .doesNotThrowAnyException();
    String[] lines = text.split("\r\n|\r|\n", -1);
    for (PolicyMessage message : messages) {
      assertThat(message.line()).as(context).isBetween(1, lines.length);
      int length = lines[message.line() - 1].length();
      assertThat(message.column()).as(message + "\n" + context).isBetween(1, length + 1);
      assertThat(message.text()).as(context).doesNotContain("hunter2");
    }
  }

  /** Deletes, doubles, renames or replaces something on a random path. */
  private Object mutate(Object node) {
    boolean descend = random.nextInt(4) > 0;
    if (node instanceof Map<?, ?> map && !map.isEmpty() && descend) {
      List<Object> keys = new ArrayList<>(map.keySet());
      Object key = keys.get(random.nextInt(keys.size()));
      Map<Object, Object> mutated = new LinkedHashMap<>(map);
      switch (random.nextInt(6)) {
        case 0 -> mutated.remove(key);
        case 1 -> mutated.put(OTHER_KEYS.get(random.nextInt(OTHER_KEYS.size())), map.get(key));
        default -> mutated.put(key, mutate(map.get(key)));
      }
      return mutated;
    }
    if (node instanceof List<?> list && !list.isEmpty() && descend) {
      int index = random.nextInt(list.size());
      List<Object> mutated = new ArrayList<>(list);
      switch (random.nextInt(6)) {
        case 0 -> mutated.remove(index);
        case 1 -> mutated.add(list.get(index));
        default -> mutated.set(index, mutate(list.get(index)));
      }
      return mutated;
    }
    return random.nextInt(20) == 0 ? null : OTHER_VALUES.get(random.nextInt(OTHER_VALUES.size()));
  }

  private void mutate(StringBuilder text) {
    int at = random.nextInt(text.length());
    int lineStart = text.lastIndexOf("\n", at) + 1;
    int next = text.indexOf("\n", at);
    int lineEnd = next < 0 ? text.length() : next + 1;
    switch (random.nextInt(6)) {
      case 0 -> text.deleteCharAt(at);
      case 1 -> text.delete(lineStart, lineEnd);
      case 2 -> text.insert(lineEnd, text.substring(lineStart, lineEnd));
      case 3 -> text.insert(lineStart, " ".repeat(1 + random.nextInt(4)));
      case 4 -> text.setLength(Math.max(1, at));
      default -> text.insert(at, ODD_CHARACTERS.charAt(random.nextInt(ODD_CHARACTERS.length())));
    }
    if (text.isEmpty()) {
      text.append('x');
    }
  }
}
