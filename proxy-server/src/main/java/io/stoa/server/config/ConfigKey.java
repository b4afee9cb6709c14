// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.value.ValueType;

/**
 * One key of the configuration file, described once for the reader, for {@code print-defaults} and
 * for the documentation. Immutable.
 *
 * @param name the path of the key, its parts joined by dots
 * @param type what values it takes
 * @param value its default; for a required key an example
 * @param required whether it must be given
 * @param meaning one line for people
 */
record ConfigKey<T>(String name, ValueType<T> type, T value, boolean required, String meaning) {

  /** The path of the section that it stands in; empty at the top. */
  String section() {
    return name.substring(0, Math.max(0, name.lastIndexOf('.')));
  }

  /** The last part of the path. */
  String leaf() {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /** A key that may be left out. */
  static <T> ConfigKey<T> optional(String name, ValueType<T> type, T value, String meaning) {
    return new ConfigKey<>(name, type, value, false, meaning);
  }
}
