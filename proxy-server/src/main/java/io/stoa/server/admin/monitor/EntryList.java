// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.server.localtree.TreeEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The entries of one answer, with the operational attributes that OpenLDAP's server gives each of
 * its own. Confined to whoever makes the answer.
 */
final class EntryList {
  private static final Pattern SPECIAL = Pattern.compile("[,+\"\\\\<>;#]");

  private final List<TreeEntry> entries = new ArrayList<>();
  private final String started;
  private final String now;
  private final Runnable check;

  /**
   * @param started when Stoa started, as GeneralizedTime
   * @param now the time of the answer
   * @param check is run before each entry; it may throw
   */
  EntryList(String started, String now, Runnable check) {
    this.started = started;
    this.now = now;
    this.check = check;
  }

  /** The name of an entry below another. */
  static String dn(String name, String parent) {
    return "cn=" + escape(name) + "," + parent;
  }

  /** Adds an entry of a class, below another. */
  TreeEntry add(String name, String parent, String objectClass) {
    check.run();
    TreeEntry entry =
        new TreeEntry(dn(name, parent)).add("objectClass", objectClass).add("cn", name);
    return add(entry, objectClass);
  }

  /** Adds an entry that is told in words what it is about. */
  TreeEntry add(String name, String parent, String objectClass, String description) {
    return add(name, parent, objectClass).add("description", description);
  }

  /** Adds an entry with names of its own. */
  TreeEntry add(TreeEntry entry, String structuralClass) {
    entries.add(entry);
    return entry
        .operational("structuralObjectClass", structuralClass)
        .operational("creatorsName", "")
        .operational("modifiersName", "")
        .operational("createTimestamp", started)
        .operational("modifyTimestamp", now)
        .operational("entryDN", entry.dn())
        .operational("subschemaSubentry", "cn=Subschema");
  }

  /** All entries, each of which knows now whether others are below it. */
  List<TreeEntry> finish() {
    Set<String> parents = new HashSet<>();
    entries.forEach(entry -> parents.add(parent(entry.dn())));
    for (TreeEntry entry : entries) {
      boolean parent = parents.contains(fold(entry.dn()));
      entry.operational("hasSubordinates", parent ? "TRUE" : "FALSE");
    }
    return List.copyOf(entries);
  }

  /** Commas within a name are escaped by a number, so the first one ends it. */
  private static String parent(String dn) {
    return fold(dn.substring(dn.indexOf(',') + 1));
  }

  private static String fold(String dn) {
    return dn.toLowerCase(Locale.ROOT);
  }

  /** RFC 4514, section 2.4, by numbers, so that what is special stands nowhere. */
  private static String escape(String value) {
    return SPECIAL.matcher(value).replaceAll(found -> "\\\\" + hex(found.group().charAt(0)));
  }

  private static String hex(char letter) {
    return Integer.toHexString(letter).toUpperCase(Locale.ROOT);
  }
}
