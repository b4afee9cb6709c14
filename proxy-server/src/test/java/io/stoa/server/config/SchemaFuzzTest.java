// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** The schema refuses no mutation of a configuration that the reader accepts. */
class SchemaFuzzTest {
  private static final int ROUNDS = 400;
  private static final Pattern PLAIN = Pattern.compile("[\\w.+/~=-][\\w.+/~=() -]*");

  /** Values as they are written in a file. */
  private static final List<String> VALUES =
      List.of(
          "0",
          "1",
          "5",
          "-1",
          "+5",
          "007",
          "0600",
          "64",
          "1001",
          "99999999999",
          "1.5",
          "1.20",
          "1e3",
          "0x10",
          "0o17",
          ".nan",
          "true",
          "false",
          "'true'",
          "True",
          "yes",
          "null",
          "~",
          "Null",
          "''",
          "'5'",
          "5s",
          "'5s'",
          "500ms",
          "0s",
          "2h",
          "10MiB",
          "1KiB",
          "1GiB",
          "banana",
          "dc=a",
          "cn",
          "'*'",
          "none",
          "auto",
          "10.0.0.0/8",
          "'::1'",
          "ldap://z",
          "'127.0.0.1:9'",
          "':9'",
          "[]",
          "{}",
          "[a]",
          "[5, 05]",
          "[dc=a, dc=a]",
          "{a: b}");

  private final Random random = new Random(Long.getLong("stoa.seed", 1));
  private final List<Runnable> mutations = new ArrayList<>();

  @Test
  void whatTheReaderAcceptsIsAdmitted() {
    Node file =
        new Compose(LoadSettings.builder().build())
            .composeString(ConfigSamples.EVERY_KEY)
            .orElseThrow();
    int accepted = 0;
    int refusedByBoth = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Object tree = tree(file);
      for (int i = random.nextInt(2); i >= 0; i--) {
        mutate(tree);
      }
      String text = print(tree) + "\n";
      List<String> mistakes = SchemaVerdict.mistakes(text);
      if (SchemaVerdict.isAccepted(text)) {
        accepted++;
        assertThat(mistakes).as("round %d: %s", round, text).isEmpty();
      } else if (!mistakes.isEmpty()) {
        refusedByBoth++;
      }
    }
    assertThat(accepted).isGreaterThan(ROUNDS / 5);
    assertThat(refusedByBoth).isGreaterThan(ROUNDS / 2);
  }

  private void mutate(Object tree) {
    mutations.clear();
    collect(tree, "");
    mutations.get(random.nextInt(mutations.size())).run();
  }

  /** Collects one mutation of each value below a mapping or a list. */
  @SuppressWarnings("unchecked") // trees have only these types
  private void collect(Object tree, String name) {
    if (tree instanceof Map<?, ?>) {
      Map<String, Object> map = (Map<String, Object>) tree;
      map.forEach(
          (key, value) -> {
            mutations.add(() -> change(map, key));
            collect(value, key);
          });
    } else if (tree instanceof List<?>) {
      List<Object> list = (List<Object>) tree;
      for (int i = 0; i < list.size(); i++) {
        int index = i;
        mutations.add(() -> change(list, index));
        collect(list.get(i), name);
      }
    }
  }

  private void change(Map<String, Object> map, String key) {
    Object value = map.get(key);
    switch (random.nextInt(8)) {
      case 0 -> map.remove(key);
      case 1 -> {
        map.remove(key);
        map.put(misspelled(key), value);
      }
      case 2 -> {
        if (value instanceof Map<?, ?> section && !section.isEmpty()) {
          map.remove(key);
          section.forEach((leaf, one) -> map.put(key + "." + leaf, one));
        }
      }
      default -> map.put(key, other(value));
    }
  }

  private void change(List<Object> list, int index) {
    switch (random.nextInt(6)) {
      case 0 -> list.remove(index);
      case 1 -> list.add(list.get(index));
      default -> list.set(index, other(list.get(index)));
    }
  }

  private Object other(Object value) {
    return switch (random.nextInt(6)) {
      case 0 -> new ArrayList<>(List.of(value));
      case 1 -> value instanceof List<?> list && list.size() == 1 ? list.get(0) : value;
      case 2 -> value instanceof String text ? requoted(text) : value;
      default -> VALUES.get(random.nextInt(VALUES.size()));
    };
  }

  private static String requoted(String text) {
    String inner = text.substring(1, Math.max(1, text.length() - 1));
    boolean quoted = text.startsWith("'");
    return quoted && PLAIN.matcher(inner).matches() ? inner : quoted ? text : "'" + text + "'";
  }

  private String misspelled(String key) {
    return switch (random.nextInt(4)) {
      case 0 -> key + "s";
      case 1 -> key.substring(1);
      case 2 -> key.toUpperCase(Locale.ROOT);
      default -> key.replaceFirst("[aeiou]", "");
    };
  }

  /** Returns mappings, lists, and scalars as they are written. */
  private static Object tree(Node node) {
    if (node instanceof MappingNode mapping) {
      Map<String, Object> map = new LinkedHashMap<>();
      mapping
          .getValue()
          .forEach(
              entry ->
                  map.put(
                      ((ScalarNode) entry.getKeyNode()).getValue(), tree(entry.getValueNode())));
      return map;
    }
    if (node instanceof SequenceNode sequence) {
      return sequence.getValue().stream()
          .map(SchemaFuzzTest::tree)
          .collect(Collectors.toCollection(ArrayList::new));
    }
    ScalarNode scalar = (ScalarNode) node;
    String text = scalar.getValue();
    boolean plain = scalar.getScalarStyle() == ScalarStyle.PLAIN && PLAIN.matcher(text).matches();
    return plain ? text : "'" + text.replace("'", "''") + "'";
  }

  private static String print(Object tree) {
    if (tree instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> "'" + entry.getKey() + "': " + print(entry.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    return tree instanceof List<?> list
        ? list.stream().map(SchemaFuzzTest::print).collect(Collectors.joining(", ", "[", "]"))
        : tree.toString();
  }
}
