// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.ConfigException.Problem;
import io.stoa.server.config.ConfigException.TextPosition;
import io.stoa.server.config.value.ValueType.ElementField;
import io.stoa.server.config.value.ValueType.ItemValues;
import io.stoa.server.config.value.ValueType.Items;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Parses scalars and lists of items. Mistakes become problems. Threading: confined to one call. */
final class ItemParser {
  private final List<Problem> problems;

  ItemParser(List<Problem> problems) {
    this.problems = problems;
  }

  /** Parses a scalar; null if it is missing or invalid. */
  static <T> @Nullable T parseScalar(
      String name, Scalar<T> type, Node node, List<Problem> problems) {
    if (!(node instanceof ScalarNode scalar) || scalar.getTag().equals(Tag.NULL)) {
      String message =
          node instanceof ScalarNode
              ? " must have a value: " + type.form()
              : " must be a scalar (" + type.form() + "), not a list or mapping";
      problems.add(new Problem(TextPosition.of(node), name + message));
      return null;
    }
    try {
      return type.parser().apply(scalar.getValue());
    } catch (IllegalArgumentException e) {
      problems.add(new Problem(TextPosition.of(node), name + ": " + e.getMessage()));
      return null;
    }
  }

  /** Parses a list and returns its valid items; empty if there are none. */
  <E> Optional<List<E>> parse(String name, Items<E> type, Node node) {
    if (!(node instanceof SequenceNode sequence)) {
      report(node, name + " must be a " + type.form() + ", one item per '- '");
      return Optional.empty();
    }
    if (sequence.getValue().isEmpty() && !type.mayBeEmpty()) {
      report(node, name + " must not be an empty list");
    }
    Map<Object, E> items = new LinkedHashMap<>();
    for (Node child : sequence.getValue()) {
      E item = item(name, type, child);
      if (item != null && items.putIfAbsent(type.identity().apply(item), item) != null) {
        report(child, name + " contains a duplicate item");
      }
    }
    return items.isEmpty() ? Optional.empty() : Optional.of(List.copyOf(items.values()));
  }

  private <E> @Nullable E item(String name, Items<E> type, Node node) {
    Map<ElementField<?>, Object> values = new HashMap<>();
    int previousProblems = problems.size();
    fields(name, type, node, values);
    if (problems.size() == previousProblems) {
      type.fields().stream()
          .filter(field -> field.required() && !values.containsKey(field))
          .forEach(field -> report(node, name + ": " + field.name() + " is required"));
    }
    try {
      return problems.size() == previousProblems
          ? type.maker().apply(new ItemValues(values))
          : null;
    } catch (IllegalArgumentException e) {
      report(node, name + ": " + e.getMessage());
      return null;
    }
  }

  private void fields(String name, Items<?> type, Node item, Map<ElementField<?>, Object> values) {
    if (item instanceof MappingNode mapping) {
      mapping.getValue().forEach(line -> line(name, type, line, values));
    } else {
      put(name, type.fields().get(0), item, values);
    }
  }

  private void line(
      String name, Items<?> type, NodeTuple line, Map<ElementField<?>, Object> values) {
    String word = line.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "";
    Optional<ElementField<?>> field =
        type.fields().stream().filter(one -> one.name().equals(word)).findFirst();
    if (field.isEmpty()) {
      String names =
          type.fields().stream().map(ElementField::name).collect(Collectors.joining(", "));
      report(line.getKeyNode(), name + " has no field " + word + "; its fields are " + names);
    } else if (values.containsKey(field.get())) {
      report(line.getKeyNode(), name + ": " + word + " is a duplicate field");
    } else {
      put(name + ": " + word, field.get(), line.getValueNode(), values);
    }
  }

  private <T> void put(
      String name, ElementField<T> field, Node node, Map<ElementField<?>, Object> values) {
    if (field.type() instanceof Scalar<T> scalar) {
      T value = parseScalar(name, scalar, node, problems);
      if (value != null) {
        values.put(field, value);
      }
    } else if (field.type() instanceof Sequence<?> sequence) {
      values.put(field, elements(name, sequence.element(), node));
    }
  }

  private <E> List<E> elements(String name, Scalar<E> type, Node node) {
    List<Node> nodes = node instanceof SequenceNode list ? list.getValue() : List.of(node);
    List<E> elements = new ArrayList<>();
    for (Node child : nodes) {
      E element = parseScalar(name, type, child, problems);
      if (element != null) {
        elements.add(element);
      }
    }
    if (nodes.isEmpty()) {
      report(node, name + " must not be an empty list");
    }
    return elements;
  }

  private void report(Node node, String message) {
    problems.add(new Problem(TextPosition.of(node), message));
  }
}
