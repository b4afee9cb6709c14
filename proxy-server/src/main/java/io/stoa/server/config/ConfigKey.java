// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.value.ValueType;

/**
 * One key of the configuration file, described once for the reader, for {@code print-defaults}, for
 * {@code print-schema} and for the documentation.
 *
 * <p>Threading: immutable.
 *
 * @param name path of the key, its parts joined by dots
 * @param type type of its values
 * @param value its default; for a required key an example
 * @param required true if the file must contain the key
 * @param live true if it can change while Stoa runs
 * @param meaning one line for users
 */
record ConfigKey<T>(
    String name, ValueType<T> type, T value, boolean required, boolean live, String meaning) {

  /** Returns the path of its section; empty at the top level. */
  String section() {
    return name.substring(0, Math.max(0, name.lastIndexOf('.')));
  }

  /** Returns the last part of the path. */
  String leaf() {
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
