// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import io.stoa.cli.client.Facts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is told of each entry of a kind. Immutable.
 *
 * @param name of the list in JSON
 * @param title in the documentation
 * @param columns the names of the fields that a table shows
 * @param fields in the order of JSON
 */
public record Shape(String name, String title, List<String> columns, List<Field> fields) {
  /** One entry with all of its fields. */
  public Report one(Facts facts) {
    Table table = new Table();
    fields.forEach(field -> table.row(field.name(), field.show(facts)));
    return new Report(json(facts), table.lines());
  }

  /** All entries, each in a line. */
  public Report all(List<Facts> entries) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put(name, entries.stream().map(this::json).toList());
    return new Report(json, table(entries));
  }

  /** The lines of the table, its head first. */
  public List<String> table(List<Facts> entries) {
    List<Field> shown = fields.stream().filter(field -> columns.contains(field.name())).toList();
    Table table = new Table().row(shown.stream().map(Field::name).toList());
    entries.forEach(facts -> table.row(shown.stream().map(field -> field.show(facts)).toList()));
    return table.lines();
  }

  /** All fields. */
  public Map<String, @Nullable Object> json(Facts facts) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    fields.forEach(field -> json.put(field.name(), field.value().apply(facts)));
    return json;
  }
}
