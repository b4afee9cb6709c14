// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.value.ValueType;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys of one section, in the order of their declaration, which is that of the documentation.
 * Threading: confined to the initialization of classes.
 */
final class KeySection {
  private final String prefix;
  private final List<ConfigKey<?>> keys = new ArrayList<>();

  /** Creates a section; {@code prefix} precedes the name of each key. */
  KeySection(String prefix) {
    this.prefix = prefix;
  }

  /** Declares a key that takes effect at the start. */
  <T> ConfigKey<T> key(String name, ValueType<T> type, T value, String meaning) {
    return add(new ConfigKey<>(prefix + name, type, value, false, false, meaning));
  }

  /** Declares a key that can change while Stoa runs. */
  <T> ConfigKey<T> live(String name, ValueType<T> type, T value, String meaning) {
    return add(new ConfigKey<>(prefix + name, type, value, false, true, meaning));
  }

  /** Declares a key that the file must contain. */
  <T> ConfigKey<T> required(String name, ValueType<T> type, T example, String meaning) {
    return add(new ConfigKey<>(prefix + name, type, example, true, false, meaning));
  }

  private <T> ConfigKey<T> add(ConfigKey<T> key) {
    keys.add(key);
    return key;
  }

  /** Appends the keys of another section. */
  void addAll(KeySection other) {
    keys.addAll(other.keys);
  }

  /** Returns the keys. */
  List<ConfigKey<?>> all() {
    return List.copyOf(keys);
  }
}
