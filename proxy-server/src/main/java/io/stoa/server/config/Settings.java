// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.ConfigException.Problem;
import io.stoa.server.config.ConfigException.TextPosition;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.Items;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * The values of all keys: those of the file, and defaults for the others. An invalid value becomes
 * a problem and is replaced by the default, so that further mistakes are found too. Threading:
 * confined to one call.
 */
final class Settings {
  private final ConfigTree tree;
  private final List<Problem> problems;
  private final Map<ConfigKey<?>, Object> values = new HashMap<>();

  Settings(ConfigTree tree, List<Problem> problems) {
    this(tree, problems, true);
  }

  private Settings(ConfigTree tree, List<Problem> problems, boolean complete) {
    this.tree = tree;
    this.problems = problems;
    ConfigKeys.ALL.stream().filter(key -> complete || tree.value(key) != null).forEach(this::read);
  }

  /** Reads a file that need not contain the required keys. */
  static Settings partial(ConfigTree tree, List<Problem> problems) {
    return new Settings(tree, problems, false);
  }

  /** Returns the value of a key. */
  @SuppressWarnings("unchecked") // read() stores what the key's own type has parsed
  <T> T get(ConfigKey<T> key) {
    return (T) values.getOrDefault(key, key.value());
  }

  /** True if the file has a valid value for the key. */
  boolean hasValue(ConfigKey<?> key) {
    return values.containsKey(key);
  }

  /** True if the default replaces a value that was reported as invalid or missing. */
  boolean isReplaced(ConfigKey<?> key) {
    return (tree.value(key) != null || key.required()) && !values.containsKey(key);
  }

  /** Reports that the value of a key breaks a rule. */
  void report(ConfigKey<?> key, String message) {
    problems.add(new Problem(tree.position(key), message));
  }

  /** Replaces the value of a key by its default. */
  void replace(ConfigKey<?> key) {
    values.remove(key);
  }

  private <T> void read(ConfigKey<T> key) {
    Node node = tree.value(key);
    if (node != null) {
      parse(key.name(), key.type(), node).ifPresent(value -> values.put(key, value));
    } else if (key.required()) {
      String message = key.name() + " is required: " + key.meaning();
      problems.add(new Problem(TextPosition.START, message));
    }
  }

  private <T> Optional<? extends Object> parse(String name, ValueType<T> type, Node node) {
    if (type instanceof Sequence<?> sequence) {
      return parseSequence(name, sequence, node);
    }
    if (type instanceof Items<?> items) {
      return new ItemParser(problems).parse(name, items, node);
    }
    return Optional.ofNullable(parseScalar(name, (Scalar<T>) type, node));
  }

  private <T> @Nullable T parseScalar(String name, Scalar<T> type, Node node) {
    return ItemParser.parseScalar(name, type, node, problems);
  }

  private <E> Optional<List<E>> parseSequence(String name, Sequence<E> type, Node node) {
    if (!(node instanceof SequenceNode sequence)) {
      report(node, name + " must be a " + type.form() + ", one item per '- '");
      return Optional.empty();
    }
    List<E> elements = new ArrayList<>();
    for (Node child : sequence.getValue()) {
      E element = parseScalar(name, type.element(), child);
      if (element != null && elements.contains(element)) {
        report(child, name + " contains a duplicate value");
      } else if (element != null) {
        elements.add(element);
      }
    }
    if (sequence.getValue().isEmpty() && !type.mayBeEmpty()) {
      report(node, name + " must not be an empty list");
    }
    return elements.isEmpty() && !type.mayBeEmpty() ? Optional.empty() : Optional.of(elements);
  }

  private void report(Node node, String message) {
    problems.add(new Problem(TextPosition.of(node), message));
  }
}
