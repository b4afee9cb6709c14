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
  public Report one(EntryValues entry) {
    TextTable table = new TextTable();
    fields.forEach(field -> table.row(field.name(), field.show(entry)));
    return new Report(json(entry), table.lines());
  }

  /** Reports all entries, each in a line. */
  public Report all(List<EntryValues> entries) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put(name, entries.stream().map(this::json).toList());
    return new Report(json, table(entries));
  }

  /** Returns the lines of the table, its heading first. */
  public List<String> table(List<EntryValues> entries) {
    List<Field> selected = fields.stream().filter(field -> columns.contains(field.name())).toList();
    TextTable table = new TextTable().row(selected.stream().map(Field::name).toList());
    entries.forEach(entry -> table.row(selected.stream().map(field -> field.show(entry)).toList()));
    return table.lines();
  }

  /** Returns all fields of an entry for JSON. */
  public Map<String, @Nullable Object> json(EntryValues entry) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    fields.forEach(field -> json.put(field.name(), field.value().apply(entry)));
    return json;
  }
}
