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

/** The entries of {@code cn=configuration} at one moment. Threading: confined to one answer. */
final class ConfigurationTree {
  static final TreeSuffix SUFFIX = new TreeSuffix("cn=configuration");

  private static final String SCHEMAS = "cn=Schemas,cn=Configuration";
  private static final String IBM_DIRECTORY = "cn=IBM Directory," + SCHEMAS;
  private static final String BACKENDS = "cn=RDBM Backends," + IBM_DIRECTORY;

  private final Values values;
  private final List<Action> offered;
  private final List<String> logLevels;
  private final Map<String, KeyValue> byName;

  /**
   * Creates the tree.
   *
   * @param offered actions of Stoa as a whole
   * @param logLevels a line for each part of Stoa with its log level
   */
  ConfigurationTree(Values values, List<Action> offered, List<String> logLevels) {
    this.values = values;
    this.logLevels = logLevels;
    this.offered = offered;
    this.byName =
        values.now().stream().collect(Collectors.toMap(KeyValue::name, Function.identity()));
  }

  /**
   * The configuration at one moment.
   *
   * <p>Threading: immutable.
   *
   * @param now all keys with their present values
   * @param ofFile all keys with the values of the file when it was last read
   * @param changed names of keys changed through {@code cn=configuration}
   * @param restart names of keys changed in the file that need a restart
   */
  record Values(
      List<KeyValue> now, List<KeyValue> ofFile, List<String> changed, List<String> restart) {
    /** The values without a configuration file. */
    static final Values NONE = new Values(List.of(), List.of(), List.of(), List.of());
  }

  /** Returns the entries, each after its parent. */
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
            .operational("stoaLogLevel", logLevels.toArray(String[]::new))
            .setActions(offered));
    entries.add(keys(Attribute.FILE, "File", values.ofFile()));
    entries.add(keys(Attribute.DEFAULTS, "Defaults", KeyValue.defaults()));
    return entries;
  }

  private String[] lists() {
    return values.now().stream().filter(KeyValue::list).map(KeyValue::name).toArray(String[]::new);
  }

  /** Returns the keys that only the file contains; none without a file. */
  private String[] ofFileOnly() {
    return values.now().isEmpty() ? new String[0] : KeyValue.OF_FILE_ONLY.toArray(String[]::new);
  }

  /** Returns the names of the entries, spelled as in {@code Attribute.entry}. */
  static List<String> names() {
    return List.of(
        Attribute.CONFIGURATION,
        Attribute.FRONT_END,
        SCHEMAS,
        IBM_DIRECTORY,
        BACKENDS,
        Attribute.DIRECTORY,
        Attribute.ALL_KEYS,
        Attribute.FILE,
        Attribute.DEFAULTS);
  }

  private TreeEntry entry(String dn, String cn, String objectClass) {
    TreeEntry entry = new TreeEntry(dn).add("objectClass", "top", objectClass).add("cn", cn);
    Attribute.IBM_ATTRIBUTES.stream()
        .filter(attribute -> attribute.entry().equals(dn))
        .forEach(attribute -> entry.add(attribute.name(), shown(attribute)));
    return entry;
  }

  private static TreeEntry keys(String dn, String cn, List<KeyValue> keys) {
    TreeEntry entry = new TreeEntry(dn).add("objectClass", "top", "stoaConfiguration");
    entry.add("cn", cn);
    keys.forEach(key -> entry.add(Attribute.of(key.name()).name(), key.values()));
    // Lists all keys, as a key without a value has no attribute.
    return entry.operational("stoaKey", keys.stream().map(KeyValue::name).toArray(String[]::new));
  }

  private List<String> shown(Attribute attribute) {
    KeyValue value = byName.get(attribute.key());
    return value == null
        ? List.of()
        : value.values().stream().map(attribute.form()::toAttribute).toList();
  }
}
