// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import io.stoa.server.admin.action.Modification;
import io.stoa.server.config.ConfigReader.KeyValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The configuration that a Modify request would produce. Threading: confined to one request. */
final class ConfigurationDraft {
  private final String entry;
  private final Map<String, KeyValue> ofFile;
  private final Map<String, KeyValue> values;
  private final Map<String, KeyValue> changes;
  private final Set<Attribute> touched = new LinkedHashSet<>();

  ConfigurationDraft(
      String entry, List<KeyValue> ofFile, List<KeyValue> now, Map<String, KeyValue> changes) {
    this.entry = entry;
    this.ofFile = byName(ofFile);
    this.values = byName(now);
    this.changes = new LinkedHashMap<>(changes);
  }

  private static Map<String, KeyValue> byName(List<KeyValue> keys) {
    return keys.stream()
        .collect(
            Collectors.toMap(KeyValue::name, Function.identity(), (a, b) -> a, LinkedHashMap::new));
  }

  /** Returns the values that differ from the file. */
  Map<String, KeyValue> changes() {
    return changes;
  }

  /**
   * Returns the attribute that a problem concerns: the first one whose key is a word of the
   * message.
   */
  String nameFor(String problem) {
    return Stream.of(problem.split("[^\\w.]+"))
        .flatMap(word -> touched.stream().filter(attribute -> attribute.key().equals(word)))
        .findFirst()
        .or(() -> touched.stream().findFirst())
        .map(Attribute::name)
        .orElse("cn=configuration");
  }

  void modify(Modification modification) throws ConfigurationChangeException {
    Attribute attribute = attribute(modification.attribute());
    KeyValue value = values.get(attribute.key());
    if (value == null) {
      throw new ConfigurationChangeException(
          ConfigurationChangeException.UNWILLING_TO_PERFORM,
          attribute.name() + ": can be changed in the configuration file only");
    }
    if (!value.live()) {
      throw new ConfigurationChangeException(
          ConfigurationChangeException.UNWILLING_TO_PERFORM,
          attribute.name()
              + ": can be changed in the configuration file only, and needs a restart");
    }
    touched.add(attribute);
    switch (modification.operation()) {
      case Modification.ADD -> add(attribute, value, modification.values());
      case Modification.DELETE -> delete(attribute, value, modification.values());
      case Modification.REPLACE -> replace(attribute, value, modification.values());
      default ->
          throw new ConfigurationChangeException(
              ConfigurationChangeException.UNWILLING_TO_PERFORM,
              attribute.name() + ": supports only add, delete and replace");
    }
  }

  private Attribute attribute(String name) throws ConfigurationChangeException {
    List<Attribute> matching =
        Stream.concat(
                Attribute.IBM_ATTRIBUTES.stream(),
                Stream.concat(values.keySet().stream(), KeyValue.OF_FILE_ONLY.stream())
                    .map(Attribute::of))
            .filter(attribute -> attribute.isNamed(name))
            .toList();
    if (matching.isEmpty()) {
      throw new ConfigurationChangeException(
          ConfigurationChangeException.UNDEFINED_ATTRIBUTE_TYPE,
          name + ": attribute type undefined");
    }
    if (!matching.get(0).entry().equals(entry)) {
      throw new ConfigurationChangeException(
          ConfigurationChangeException.OBJECT_CLASS_VIOLATION,
          name + ": belongs to the entry " + matching.get(0).entry());
    }
    return matching.get(0);
  }

  private void add(Attribute attribute, KeyValue value, List<String> additional)
      throws ConfigurationChangeException {
    if (!value.list()) {
      throw new ConfigurationChangeException(
          ConfigurationChangeException.ATTRIBUTE_OR_VALUE_EXISTS,
          attribute.name() + ": already has a value; use replace");
    }
    List<String> combined = new ArrayList<>(value.values());
    combined.addAll(additional);
    set(attribute, value, combined);
  }

  /**
   * Deletes values. Without a value, an attribute reverts to the file's value or to the default; a
   * list may become empty.
   */
  private void delete(Attribute attribute, KeyValue value, List<String> removed)
      throws ConfigurationChangeException {
    List<String> remaining = new ArrayList<>(shown(attribute, value));
    for (String one : removed) {
      if (!remaining.remove(one)) {
        throw new ConfigurationChangeException(
            ConfigurationChangeException.NO_SUCH_ATTRIBUTE, attribute.name() + ": no such value");
      }
    }
    if (removed.isEmpty() || !value.list()) {
      reset(value);
    } else {
      set(attribute, value, remaining);
    }
  }

  private void replace(Attribute attribute, KeyValue value, List<String> others)
      throws ConfigurationChangeException {
    if (others.isEmpty()) {
      reset(value);
    } else {
      set(attribute, value, others);
    }
  }

  private static List<String> shown(Attribute attribute, KeyValue value) {
    return value.values().stream().map(attribute.form()::toAttribute).toList();
  }

  private void reset(KeyValue value) {
    changes.remove(value.name());
    values.put(value.name(), ofFile.getOrDefault(value.name(), value));
  }

  private void set(Attribute attribute, KeyValue value, List<String> newValues)
      throws ConfigurationChangeException {
    if (!value.list() && newValues.size() != 1) {
      throw new ConfigurationChangeException(
          ConfigurationChangeException.CONSTRAINT_VIOLATION,
          attribute.name() + ": must have exactly one value");
    }
    if (Set.copyOf(newValues).size() < newValues.size()) {
      throw new ConfigurationChangeException(
          ConfigurationChangeException.ATTRIBUTE_OR_VALUE_EXISTS,
          attribute.name() + ": contains a duplicate value");
    }
    try {
      List<String> forFile = newValues.stream().map(attribute.form()::toFile).toList();
      put(value.with(forFile));
    } catch (IllegalArgumentException e) {
      throw new ConfigurationChangeException(
          ConfigurationChangeException.INVALID_ATTRIBUTE_SYNTAX,
          attribute.name() + ": " + e.getMessage());
    }
  }

  /**
   * Stores a value. A value equal to the file's is no change, so that a later edit of the file
   * takes effect.
   */
  private void put(KeyValue next) {
    if (next.equals(ofFile.get(next.name()))) {
      changes.remove(next.name());
    } else {
      changes.put(next.name(), next);
    }
    values.put(next.name(), next);
  }
}
