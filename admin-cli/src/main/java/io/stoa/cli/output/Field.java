// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import io.stoa.cli.client.EntryValues;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One value of an entry, described once for JSON, for tables and for the documentation.
 *
 * <p>Threading: immutable.
 *
 * @param name name in JSON; its meaning never changes
 * @param kind type in JSON
 * @param meaning description for users
 * @param value reads the value; null if the server does not report it
 */
public record Field(
    String name, String kind, String meaning, Function<EntryValues, @Nullable Object> value) {

  static Field text(String name, String attribute, String description) {
    return new Field(name, "text", description, entry -> entry.text(attribute));
  }

  static Field number(String name, String attribute, String description) {
    return new Field(name, "number", description, entry -> entry.number(attribute));
  }

  static Field truth(String name, String attribute, String description) {
    return new Field(name, "true or false", description, entry -> entry.bool(attribute));
  }

  static Field list(String name, String attribute, String description) {
    return new Field(name, "list of text", description, entry -> entry.values(attribute));
  }

  /** Creates a field with the ratio of hits to hits and misses. */
  static Field ratio(String name, String hits, String misses, String description) {
    return new Field(
        name,
        "number or null",
        description,
        entry -> Amounts.share(entry.count(hits), entry.count(hits) + entry.count(misses)));
  }

  /** Formats the value for users. */
  public String show(EntryValues entry) {
    Object known = value.apply(entry);
    if (known instanceof List<?> list) {
      return list.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
    if (known instanceof Double share) {
      return Amounts.percent(share);
    }
    return known == null ? Amounts.UNKNOWN : known.toString();
  }
}
