// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config.value;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What values a key takes. Immutable.
 *
 * @param <T> the Java type of a value
 */
public sealed interface ValueType<T> {
  /** How the documentation calls it. */
  String form();

  /** The lines that stand for a value in YAML: one for a scalar, one for each element of a list. */
  List<String> print(T value);

  /**
   * One value.
   *
   * @param parser throws IllegalArgumentException with a message for people
   */
  record Scalar<T>(String form, Function<String, T> parser, Function<T, String> printer)
      implements ValueType<T> {
    @Override
    public List<String> print(T value) {
      return List.of(printer.apply(value));
    }
  }

  /**
   * Any number of different values, or at least one.
   *
   * @param example a value as it is written in the file; empty if the default shows one
   */
  record Sequence<E>(Scalar<E> element, boolean mayBeEmpty, String example)
      implements ValueType<List<E>> {
    /** A list whose default shows how its values are written. */
    public Sequence(Scalar<E> element, boolean mayBeEmpty) {
      this(element, mayBeEmpty, "");
    }

    @Override
    public String form() {
      return "list of " + element.form();
    }

    @Override
    public List<String> print(List<E> value) {
      return value.stream().map(element.printer()).toList();
    }
  }

  /**
   * Any number of values, or at least one, each of them a scalar, or lines 'field: value'.
   *
   * @param fields what may be given; a scalar is the value of the first one
   * @param examples a value of each field, as it is written in the file
   * @param identity of which no two items may have the same
   * @param maker throws IllegalArgumentException with a message for people
   */
  record Items<E>(
      String itemForm,
      List<Field<?>> fields,
      List<String> examples,
      Function<Given, E> maker,
      Function<E, Object> identity,
      boolean mayBeEmpty)
      implements ValueType<List<E>> {
    @Override
    public String form() {
      return "list of " + itemForm;
    }

    /** As they are written if nothing but the first field is given. */
    @Override
    public List<String> print(List<E> value) {
      return value.stream().map(String::valueOf).toList();
    }
  }

  /**
   * One of the lines of an item. A list of one value can be written as that value.
   *
   * @param live whether another value takes effect when the file is read again, without a restart
   */
  record Field<T>(String name, ValueType<T> type, String meaning, boolean live) {
    /** One that takes effect at the start. */
    public Field(String name, ValueType<T> type, String meaning) {
      this(name, type, meaning, false);
    }
  }

  /** The fields of an item that are given. */
  record Given(Map<Field<?>, Object> values) {
    /** The value of a field; empty if it is not given. */
    @SuppressWarnings("unchecked") // what the field's own type has parsed
    public <T> Optional<T> get(Field<T> field) {
      return Optional.ofNullable((T) values.get(field));
    }
  }
}
