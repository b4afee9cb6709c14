// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config.value;

import io.stoa.server.config.value.ValueType.ElementField;
import io.stoa.server.config.value.ValueType.Sequence;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Keywords of JSON Schema (draft-07) for values of the configuration file.
 *
 * <p>Stoa reads the text of a scalar. An editor reads a plain scalar as the core schema of YAML 1.2
 * says: as a number, a boolean, null, or else a string. So {@code 5} and {@code '5'} are equal for
 * Stoa, and a schema admits both.
 *
 * <ol>
 *   <li>A schema admits each value that its type accepts.
 *   <li>A pattern must match the whole text. Regular expressions of Java and of ECMAScript read it
 *       alike.
 * </ol>
 *
 * <p>Threading: immutable.
 */
public final class JsonSchema {
  private static final String TYPE = "type";
  private static final String PATTERN = "pattern";
  private static final String ANY_OF = "anyOf";
  private static final List<String> PLAIN = List.of("string", "number", "boolean");

  private JsonSchema() {}

  /** Returns the schema of any text, quoted or plain. */
  public static Map<String, Object> plain() {
    return Map.of(TYPE, PLAIN);
  }

  /** Returns the schema of a text of a form whose plain scalars may look like other types. */
  public static Map<String, Object> plain(String pattern) {
    return typed(PLAIN, pattern);
  }

  /** Returns the schema of a text of a form whose plain scalars are always strings. */
  public static Map<String, Object> string(String pattern) {
    return typed("string", pattern);
  }

  /** Returns the schema of true and false. */
  static Map<String, Object> truth() {
    return typed(List.of("boolean", "string"), "true|false");
  }

  /**
   * Returns the schema of a whole number, or of a text of a form.
   *
   * @param maximum {@link Long#MAX_VALUE} for none
   */
  public static Map<String, Object> number(long minimum, long maximum, String pattern) {
    Map<String, Object> schema = typed(List.of("integer", "string"), pattern);
    schema.put("minimum", minimum);
    if (maximum != Long.MAX_VALUE) {
      schema.put("maximum", maximum);
    }
    return schema;
  }

  private static Map<String, Object> typed(Object types, String pattern) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put(TYPE, types);
    schema.put(PATTERN, "^(?:" + pattern + ")$");
    return schema;
  }

  /**
   * Returns a schema whose message editors show in place of a pattern. They use two keywords beyond
   * JSON Schema, which all other readers ignore.
   */
  @SuppressWarnings("unchecked") // alternatives are schemas
  static Map<String, Object> explained(Map<String, Object> schema, String message) {
    Map<String, Object> explained = new LinkedHashMap<>(schema);
    if (schema.containsKey(PATTERN)) {
      explained.put("patternErrorMessage", message);
    }
    if (schema.containsKey("const")) {
      explained.put("errorMessage", message);
    }
    if (schema.get(ANY_OF) instanceof List<?> either) {
      explained.put(
          ANY_OF,
          either.stream().map(one -> explained((Map<String, Object>) one, message)).toList());
    }
    return explained;
  }

  /** Returns the schema of one of some words. */
  static Map<String, Object> choice(Collection<String> words) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put(TYPE, "string");
    schema.put("enum", List.copyOf(words));
    return schema;
  }

  /** Returns the schema of a value that satisfies one of two others. */
  static Map<String, Object> anyOf(Map<String, Object> one, Map<String, Object> other) {
    return Map.of(ANY_OF, List.of(one, other));
  }

  /** Returns the schema of a list. */
  static Map<String, Object> list(Map<String, Object> item, boolean mayBeEmpty, boolean distinct) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put(TYPE, "array");
    schema.put("items", item);
    if (!mayBeEmpty) {
      schema.put("minItems", 1);
    }
    if (distinct) {
      schema.put("uniqueItems", true);
    }
    return schema;
  }

  /** True if two values that an editor reads as equal are equal for Stoa; 1 and 01 are not. */
  static boolean isComparable(ValueType<?> type) {
    return !PLAIN.equals(type.schema().get(TYPE));
  }

  /** Returns the schema of a mapping with fields. */
  static Map<String, Object> mapping(List<ElementField<?>> fields) {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (ElementField<?> field : fields) {
      properties.put(field.name(), described(field));
    }
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put(TYPE, "object");
    schema.put("properties", properties);
    schema.put(
        "required",
        fields.stream().filter(ElementField::required).map(ElementField::name).toList());
    schema.put("additionalProperties", false);
    return schema;
  }

  private static Map<String, Object> described(ElementField<?> field) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("description", description(field.meaning(), field.type(), "", field.live()));
    schema.putAll(
        field.type() instanceof Sequence<?> sequence
            ? anyOf(sequence.element().schema(), list(sequence.element().schema(), false, false))
            : field.type().schema());
    return schema;
  }

  /**
   * Returns the description of a key or field.
   *
   * @param note a further sentence; may be empty
   */
  public static String description(String meaning, ValueType<?> type, String note, boolean live) {
    return "%s Type: %s.%s%s"
        .formatted(meaning, type.form(), note, live ? " SIGHUP suffices." : "");
  }

  /** Returns the pattern of a word of ASCII letters in any case. */
  public static String anyCase(String word) {
    return word.chars()
        .mapToObj(
            letter ->
                "["
                    + (char) Character.toLowerCase(letter)
                    + (char) Character.toUpperCase(letter)
                    + "]")
        .collect(Collectors.joining());
  }
}
