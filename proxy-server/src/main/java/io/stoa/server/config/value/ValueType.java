// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config.value;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Type of the values of a key.
 *
 * <p>Threading: immutable.
 *
 * @param <T> the Java type of a value
 */
public sealed interface ValueType<T> {
  /** Returns the name of the type in the documentation. */
  String form();

  /** Returns a value as YAML: one line for a scalar, one for each element of a list. */
  List<String> print(T value);

  /** Returns the keywords of the JSON Schema of a value. {@link JsonSchema} says what it admits. */
  Map<String, Object> schema();

  /**
   * A single value.
   *
   * @param schema its JSON Schema
   * @param parser throws IllegalArgumentException with a message for users
   */
  record Scalar<T>(
      String form,
      Map<String, Object> schema,
      Function<String, T> parser,
      Function<T, String> printer)
      implements ValueType<T> {
    public Scalar {
      schema = JsonSchema.explained(schema, "The value must have the type: " + form + ".");
    }

    @Override
    public List<String> print(T value) {
      return List.of(printer.apply(value));
    }
  }

  /**
   * A list of distinct values.
   *
   * @param mayBeEmpty false if at least one value is required
   * @param example a value as it is written in the file; empty if the default shows one
   */
  record Sequence<E>(Scalar<E> element, boolean mayBeEmpty, String example)
      implements ValueType<List<E>> {
    private static final Pattern WORD = Pattern.compile("\\w+");

    /** Creates a list whose default is its example. */
    public Sequence(Scalar<E> element, boolean mayBeEmpty) {
      this(element, mayBeEmpty, "");
    }

    @Override
    public String form() {
      String form = element.form();
      return "list of " + form + (WORD.matcher(form).matches() ? "s" : "");
    }

    @Override
    public List<String> print(List<E> value) {
      return value.stream().map(element.printer()).toList();
    }

    @Override
    public Map<String, Object> schema() {
      return JsonSchema.list(element.schema(), mayBeEmpty, JsonSchema.isComparable(element));
    }
  }

  /**
   * A list of items, each of them a scalar or a mapping with fields.
   *
   * @param fields permitted fields; a scalar is the value of the first one
   * @param examples a value of each field, as it is written in the file
   * @param maker creates an item; throws IllegalArgumentException with a message for users
   * @param identity key of an item, which must be unique in the list
   * @param mayBeEmpty false if at least one item is required
   */
  record Items<E>(
      String itemForm,
      List<ElementField<?>> fields,
      List<String> examples,
      Function<ItemValues, E> maker,
      Function<E, Object> identity,
      boolean mayBeEmpty)
      implements ValueType<List<E>> {
    @Override
    public String form() {
      return "list of " + itemForm;
    }

    /** Returns the items as scalars, as if only the first field were given. */
    @Override
    public List<String> print(List<E> value) {
      return value.stream().map(String::valueOf).toList();
    }

    @Override
    public Map<String, Object> schema() {
      Map<String, Object> item = JsonSchema.mapping(fields);
      ElementField<?> first = fields.get(0);
      boolean shortForm = fields.stream().skip(1).noneMatch(ElementField::required);
      return JsonSchema.list(
          shortForm ? JsonSchema.anyOf(first.type().schema(), item) : item,
          mayBeEmpty,
          JsonSchema.isComparable(first.type()));
    }
  }

  /**
   * One field of an item. A list with one value may be written as that value.
   *
   * @param live true if a new value takes effect on reload, without a restart
   * @param required true if each item must contain the field
   */
  record ElementField<T>(
      String name, ValueType<T> type, String meaning, boolean live, boolean required) {
    /** Creates an optional field that takes effect at the start only. */
    public ElementField(String name, ValueType<T> type, String meaning) {
      this(name, type, meaning, false);
    }

    /** Creates an optional field. */
    public ElementField(String name, ValueType<T> type, String meaning, boolean live) {
      this(name, type, meaning, live, false);
    }

    /** Returns the field as one that each item must contain. */
    public ElementField<T> asRequired() {
      return new ElementField<>(name, type, meaning, live, true);
    }
  }

  /** The fields of an item that the file contains. */
  record ItemValues(Map<ElementField<?>, Object> values) {
    /** Returns the value of a field; empty if it is not given. */
    @SuppressWarnings("unchecked") // the field's own type has parsed it
    public <T> Optional<T> get(ElementField<T> field) {
      return Optional.ofNullable((T) values.get(field));
    }

    /** Returns the value of a required field. */
    public <T> T require(ElementField<T> field) {
      return get(field).orElseThrow();
    }
  }
}
