// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.value.ValueType.Items;
import java.util.List;

/**
 * One key of the configuration file, as manuals describe it.
 *
 * <p>Threading: immutable.
 *
 * @param name path of the key, its parts joined by dots
 * @param type name of the type of its values
 * @param defaults its default as YAML; one line for each element of a list
 * @param required true if the file must contain the key
 * @param live true if it can change while Stoa runs
 * @param meaning one line for users
 * @param fields the fields of each item, if the key is a list of items
 */
public record KeyDescription(
    String name,
    String type,
    List<String> defaults,
    boolean required,
    boolean live,
    String meaning,
    List<FieldDescription> fields) {
  /**
   * One field of an item.
   *
   * @param name name of the field
   * @param meaning one line for users
   * @param live true if a new value takes effect on reload, without a restart
   */
  public record FieldDescription(String name, String meaning, boolean live) {}

  /** Returns all keys, in the order of the documentation. */
  public static List<KeyDescription> all() {
    return ConfigKeys.ALL.stream().map(KeyDescription::of).toList();
  }

  /** Returns the path of the section of the key; empty at the top level. */
  public String section() {
    return name.substring(0, Math.max(0, name.lastIndexOf('.')));
  }

  private static <T> KeyDescription of(ConfigKey<T> key) {
    return new KeyDescription(
        key.name(),
        key.type().form(),
        key.type().print(key.value()),
        key.required(),
        key.live(),
        key.meaning(),
        fields(key));
  }

  private static List<FieldDescription> fields(ConfigKey<?> key) {
    if (!(key.type() instanceof Items<?> items)) {
      return List.of();
    }
    return items.fields().stream()
        .map(field -> new FieldDescription(field.name(), field.meaning(), field.live()))
        .toList();
  }
}
