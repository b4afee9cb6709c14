// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Amounts;
import io.stoa.cli.output.Printable;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.TextTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All keys and their values, either the present ones or those of the file.
 *
 * <p>Threading: immutable.
 *
 * @param keys values by key, in the order of the file's documentation
 * @param lists keys with lists of values
 * @param ofFileOnly keys that are neither shown nor changed outside of the file
 * @param changed keys changed through {@code cn=configuration}
 * @param forRestart keys whose new values need a restart
 */
record Configuration(
    Map<String, List<String>> keys,
    List<String> lists,
    List<String> ofFileOnly,
    List<String> changed,
    List<String> forRestart) {
  private static final String FILE = "cn=File," + ConfigCommand.ENTRY;
  private static final String DEFAULTS = "cn=Defaults," + ConfigCommand.ENTRY;
  private static final String NAMES = "stoaKey";
  private static final String LISTS = "stoaListKey";
  private static final String OF_FILE_ONLY = "stoaFileKey";
  private static final String CHANGED = "stoaChanged";
  private static final String FOR_RESTART = "stoaRestartNeeded";

  static Configuration now(StoaClient client) throws StoaException {
    return of(client.entry(ConfigCommand.ENTRY, "*", "+"));
  }

  static Configuration ofFile(StoaClient client) throws StoaException {
    return of(client.entry(FILE, "*", "+"));
  }

  static Configuration defaults(StoaClient client) throws StoaException {
    return of(client.entry(DEFAULTS, "*", "+"));
  }

  private static Configuration of(EntryValues entry) {
    Map<String, List<String>> keys = new LinkedHashMap<>();
    for (String key : entry.values(NAMES)) {
      keys.put(key, entry.values(ConfigCommand.attribute(key)));
    }
    return new Configuration(
        keys,
        entry.values(LISTS),
        entry.values(OF_FILE_ONLY),
        entry.values(CHANGED),
        entry.values(FOR_RESTART));
  }

  /** Returns the values of a key. */
  List<String> values(String key) throws StoaException {
    requireKey(key);
    return keys.getOrDefault(key, List.of());
  }

  /** Refuses an unknown key, and suggests a similar one. */
  void requireKey(String key) throws StoaException {
    if (keys.isEmpty()) {
      throw StoaException.refused("Stoa runs without a configuration file");
    }
    if (isInFileOnly(key)) {
      throw StoaException.refused(
          key + " is secret or structured, and is only in the configuration file");
    }
    if (!keys.containsKey(key)) {
      throw StoaException.refused(
          "there is no key " + key + nearest(key).map(" (did you mean %s?)"::formatted).orElse(""));
    }
  }

  boolean isInFileOnly(String key) {
    return ofFileOnly.contains(key);
  }

  /** Refuses a key that takes a single value. */
  void requireList(String key) throws StoaException {
    requireKey(key);
    if (!lists.contains(key)) {
      throw StoaException.refused(key + " is not a list, and must have a value");
    }
  }

  /** Returns a key that differs only in case, or only in its section. */
  private Optional<String> nearest(String wanted) {
    return keys.keySet().stream()
        .filter(key -> key.equalsIgnoreCase(wanted) || leaf(key).equalsIgnoreCase(leaf(wanted)))
        .findFirst();
  }

  private static String leaf(String key) {
    return key.substring(key.lastIndexOf('.') + 1);
  }

  /** Reports the given keys, or all of them if none is given. */
  Report report(List<String> requested) throws StoaException {
    Map<String, @Nullable Object> found = new LinkedHashMap<>();
    List<String> lines = new ArrayList<>();
    for (String key : requested.isEmpty() ? List.copyOf(keys.keySet()) : requested) {
      List<String> values = values(key);
      found.put(key, values);
      if (values.isEmpty()) {
        lines.add(key + ":");
      }
      values.forEach(value -> lines.add(Printable.of(key + ": " + value)));
    }
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("keys", found);
    return new Report(json, lines);
  }

  /**
   * Reports keys that differ between configurations. Beside the file, keys that are overridden are
   * reported, too.
   *
   * @param columns the configurations by the names of their columns
   */
  Report differences(Map<String, Configuration> columns) {
    boolean withFile = !columns.containsKey("default");
    List<Map<String, Object>> changes = new ArrayList<>();
    TextTable table = new TextTable().row(row("key", columns.keySet()));
    for (String key : keys.keySet()) {
      Map<String, Object> change = new LinkedHashMap<>();
      change.put("key", key);
      List<String> shown = new ArrayList<>();
      Set<List<String>> distinct = new HashSet<>();
      columns.forEach(
          (name, one) -> {
            List<String> values = one.keys.getOrDefault(key, List.of());
            change.put(name, values);
            shown.add(show(values));
            distinct.add(values);
          });
      if (distinct.size() > 1 || (withFile && changed.contains(key))) {
        changes.add(change);
        table.row(row(key, shown));
      }
    }
    return differences(changes, table, columns);
  }

  private static String[] row(String first, Collection<String> others) {
    return Stream.concat(Stream.of(first), others.stream()).toArray(String[]::new);
  }

  private Report differences(
      List<Map<String, Object>> changes, TextTable table, Map<String, Configuration> columns) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("changes", changes);
    json.put("restartNeeded", forRestart);
    List<String> lines = new ArrayList<>(changes.isEmpty() ? List.of() : table.lines());
    if (columns.containsKey("file")) {
      forRestart.forEach(
          key -> lines.add(Printable.of(key + " was changed in the file: restart required")));
    }
    if (lines.isEmpty()) {
      lines.add(
          columns.containsKey("file") && columns.containsKey("now")
              ? "no differences from the file"
              : "no differences from the defaults");
    }
    return new Report(json, lines);
  }

  static String show(List<String> values) {
    return values.isEmpty() ? Amounts.UNKNOWN : String.join(", ", values);
  }
}
