// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.tuning;

import io.stoa.server.config.ConfigReader.KeyValue;
import io.stoa.server.tree.TreeEntry;
import io.stoa.server.tree.TreeSuffix;
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

  private final List<KeyValue> keys;
  private final Map<String, KeyValue> byName;

  ConfigurationTree(List<KeyValue> keys) {
    this.keys = keys;
    this.byName = keys.stream().collect(Collectors.toMap(KeyValue::name, Function.identity()));
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
    entries.add(allKeys());
    return entries;
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
        Attribute.ALL_KEYS);
  }

  private TreeEntry entry(String dn, String cn, String objectClass) {
    TreeEntry entry = new TreeEntry(dn).add("objectClass", "top", objectClass).add("cn", cn);
    Attribute.GUIDE.stream()
        .filter(attribute -> attribute.entry().equals(dn))
        .forEach(attribute -> entry.add(attribute.name(), shown(attribute)));
    return entry;
  }

  private TreeEntry allKeys() {
    TreeEntry entry =
        new TreeEntry(Attribute.ALL_KEYS).add("objectClass", "top", "stoaConfiguration");
    entry.add("cn", "Stoa");
    keys.forEach(key -> entry.add(Attribute.of(key.name()).name(), key.values()));
    return entry;
  }

  private List<String> shown(Attribute attribute) {
    KeyValue value = byName.get(attribute.key());
    return value == null
        ? List.of()
        : value.values().stream().map(attribute.form()::shown).toList();
  }
}
