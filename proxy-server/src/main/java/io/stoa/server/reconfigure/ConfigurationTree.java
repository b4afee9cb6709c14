// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import io.stoa.server.admin.action.Action;
import io.stoa.server.config.ConfigReader.KeyValue;
import io.stoa.server.localtree.TreeEntry;
import io.stoa.server.localtree.TreeSuffix;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The entries of {@code cn=configuration} at one moment. Confined to one answer. */
final class ConfigurationTree {
  static final TreeSuffix SUFFIX = new TreeSuffix("cn=configuration");

  private static final String SCHEMAS = "cn=Schemas,cn=Configuration";
  private static final String IBM_DIRECTORY = "cn=IBM Directory," + SCHEMAS;
  private static final String BACKENDS = "cn=RDBM Backends," + IBM_DIRECTORY;

  private final Values values;
  private final List<Action> offered;
  private final Map<String, KeyValue> byName;

  /**
   * Makes it.
   *
   * @param offered what Stoa as a whole can be told to do
   */
  ConfigurationTree(Values values, List<Action> offered) {
    this.values = values;
    this.offered = offered;
    this.byName =
        values.now().stream().collect(Collectors.toMap(KeyValue::name, Function.identity()));
  }

  /**
   * The configuration at one moment. Immutable.
   *
   * @param now all keys as they are
   * @param ofFile the same as the file says, when it was last read
   * @param changed names of the keys that were changed through {@code cn=configuration}
   * @param restart names of the keys that the file has changed, and that wait for a restart
   */
  record Values(
      List<KeyValue> now, List<KeyValue> ofFile, List<String> changed, List<String> restart) {
    /** There is no configuration file. */
    static final Values NONE = new Values(List.of(), List.of(), List.of(), List.of());
  }

  /** Each after its parent. */
  List<TreeEntry> entries() {
    List<TreeEntry> entries = new ArrayList<>();
    entries.add(entry(Attribute.CONFIGURATION, "Configuration", "ibm-slapdTop"));
    entries.add(entry(Attribute.FRONT_END, "Front End", "ibm-slapdFrontEnd"));
    entries.add(entry(SCHEMAS, "Schemas", "container"));
    entries.add(entry(IBM_DIRECTORY, "IBM Directory", "ibm-slapdSchema"));
    entries.add(entry(BACKENDS, "RDBM Backends", "container"));
    entries.add(entry(Attribute.DIRECTORY, "Directory", "ibm-slapdRdbmBackend"));
    entries.add(
        keys(Attribute.ALL_KEYS, "Stoa", values.now())
            .add("stoaRestartNeeded", values.restart())
            .operational("stoaChanged", values.changed().toArray(String[]::new))
            .operational("stoaListKey", lists())
            .operational("stoaFileKey", ofFileOnly())
            .offer(offered));
    entries.add(keys(Attribute.FILE, "File", values.ofFile()));
    return entries;
  }

  private String[] lists() {
    return values.now().stream().filter(KeyValue::list).map(KeyValue::name).toArray(String[]::new);
  }

  /** Of no use where there is no file. */
  private String[] ofFileOnly() {
    return values.now().isEmpty() ? new String[0] : KeyValue.OF_FILE_ONLY.toArray(String[]::new);
  }

  /** The names of the entries, as attributes have them. */
  static List<String> names() {
    return List.of(
        Attribute.CONFIGURATION,
        Attribute.FRONT_END,
        SCHEMAS,
        IBM_DIRECTORY,
        BACKENDS,
        Attribute.DIRECTORY,
        Attribute.ALL_KEYS,
        Attribute.FILE);
  }

  private TreeEntry entry(String dn, String cn, String objectClass) {
    TreeEntry entry = new TreeEntry(dn).add("objectClass", "top", objectClass).add("cn", cn);
    Attribute.GUIDE.stream()
        .filter(attribute -> attribute.entry().equals(dn))
        .forEach(attribute -> entry.add(attribute.name(), shown(attribute)));
    return entry;
  }

  private static TreeEntry keys(String dn, String cn, List<KeyValue> keys) {
    TreeEntry entry = new TreeEntry(dn).add("objectClass", "top", "stoaConfiguration");
    entry.add("cn", cn);
    keys.forEach(key -> entry.add(Attribute.of(key.name()).name(), key.values()));
    // Those without a value as well, which no attribute shows.
    return entry.operational("stoaKey", keys.stream().map(KeyValue::name).toArray(String[]::new));
  }

  private List<String> shown(Attribute attribute) {
    KeyValue value = byName.get(attribute.key());
    return value == null
        ? List.of()
        : value.values().stream().map(attribute.form()::shown).toList();
  }
}
