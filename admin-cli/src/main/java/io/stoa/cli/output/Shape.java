// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import io.stoa.cli.client.EntryValues;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The output of entries of one kind.
 *
 * <p>Threading: immutable.
 *
 * @param name name of the list in JSON
 * @param title title in the documentation
 * @param columns names of the fields in a table
 * @param fields fields in the order of JSON
 */
public record Shape(String name, String title, List<String> columns, List<Field> fields) {
  /** Reports one entry with all of its fields. */
  public Report one(EntryValues facts) {
    TextTable table = new TextTable();
    fields.forEach(field -> table.row(field.name(), field.show(facts)));
    return new Report(json(facts), table.lines());
  }

  /** Reports all entries, each in a line. */
  public Report all(List<EntryValues> entries) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put(name, entries.stream().map(this::json).toList());
    return new Report(json, table(entries));
  }

  /** Returns the lines of the table, its heading first. */
  public List<String> table(List<EntryValues> entries) {
    List<Field> shown = fields.stream().filter(field -> columns.contains(field.name())).toList();
    TextTable table = new TextTable().row(shown.stream().map(Field::name).toList());
    entries.forEach(facts -> table.row(shown.stream().map(field -> field.show(facts)).toList()));
    return table.lines();
  }

  /** Returns all fields of an entry for JSON. */
  public Map<String, @Nullable Object> json(EntryValues facts) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    fields.forEach(field -> json.put(field.name(), field.value().apply(facts)));
    return json;
  }
}
