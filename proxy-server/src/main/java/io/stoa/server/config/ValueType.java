// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import java.util.List;
import java.util.function.Function;

/**
 * What values a key takes. Immutable.
 *
 * @param <T> the Java type of a value
 */
sealed interface ValueType<T> {
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

  /** Any number of different values, or at least one. */
  record Sequence<E>(Scalar<E> element, boolean mayBeEmpty) implements ValueType<List<E>> {
    @Override
    public String form() {
      return "list of " + element.form();
    }

    @Override
    public List<String> print(List<E> value) {
      return value.stream().map(element.printer()).toList();
    }
  }
}
