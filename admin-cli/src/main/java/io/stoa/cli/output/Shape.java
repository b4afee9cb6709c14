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
  /** End of the name of a field that is the maximum of the field before it. */
  private static final String MAX = "Max";

  /** Reports one entry with all of its fields. In text an amount and its maximum are one line. */
  public Report one(EntryValues entry) {
    TextTable table = new TextTable();
    for (int i = 0; i < fields.size(); i++) {
      Field field = fields.get(i);
      if (i + 1 < fields.size() && fields.get(i + 1).name().equals(field.name() + MAX)) {
        i++;
        table.row(field.name(), amount(field, entry) + " of " + amount(fields.get(i), entry));
      } else {
        table.row(field.name(), field.show(entry));
      }
    }
    return new Report(json(entry), table.lines());
  }

  private static String amount(Field field, EntryValues entry) {
    return Amounts.count((Long) field.value().apply(entry));
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
