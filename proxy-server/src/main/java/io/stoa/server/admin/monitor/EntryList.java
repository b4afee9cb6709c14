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
 * The entries of one answer, with the operational attributes that slapd gives its own entries.
 * Threading: confined to the thread that builds the answer.
 */
final class EntryList {
  private static final Pattern SPECIAL = Pattern.compile("[,+\"\\\\<>;#]");

  /** Names of the attributes that every entry has and that say nothing about Stoa. */
  static final Set<String> COMMON =
      Set.of(
          "structuralObjectClass",
          "creatorsName",
          "modifiersName",
          "createTimestamp",
          "modifyTimestamp",
          "entryDN",
          "subschemaSubentry",
          "hasSubordinates");

  private final List<TreeEntry> entries = new ArrayList<>();
  private final String started;
  private final String now;
  private final Runnable check;

  /**
   * @param started start time of Stoa, as GeneralizedTime
   * @param now time of the answer, as GeneralizedTime
   * @param check called before each entry; may throw
   */
  EntryList(String started, String now, Runnable check) {
    this.started = started;
    this.now = now;
    this.check = check;
  }

  /** Returns the name of an entry below another. */
  static String dn(String name, String parent) {
    return "cn=" + escape(name) + "," + parent;
  }

  /** Adds an entry of an object class, below another. */
  TreeEntry add(String name, String parent, String objectClass) {
    check.run();
    TreeEntry entry =
        new TreeEntry(dn(name, parent)).add("objectClass", objectClass).add("cn", name);
    return add(entry, objectClass);
  }

  /** Adds an entry with a description. */
  TreeEntry add(String name, String parent, String objectClass, String description) {
    return add(name, parent, objectClass).add("description", description);
  }

  /** Adds an entry that was created elsewhere. */
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

  /** Returns all entries, after {@code hasSubordinates} was set in each. */
  List<TreeEntry> finish() {
    Set<String> parents = new HashSet<>();
    entries.forEach(entry -> parents.add(parent(entry.dn())));
    for (TreeEntry entry : entries) {
      boolean parent = parents.contains(fold(entry.dn()));
      entry.operational("hasSubordinates", parent ? "TRUE" : "FALSE");
    }
    return List.copyOf(entries);
  }

  /**
   * Returns the parent's name. Commas within a value are escaped as hex pairs, so the first comma
   * ends the RDN.
   */
  private static String parent(String dn) {
    return fold(dn.substring(dn.indexOf(',') + 1));
  }

  private static String fold(String dn) {
    return dn.toLowerCase(Locale.ROOT);
  }

  /**
   * Escapes special characters as hex pairs (RFC 4514, section 2.4), so that none of them appears
   * in the result.
   */
  private static String escape(String value) {
    return SPECIAL.matcher(value).replaceAll(found -> "\\\\" + hex(found.group().charAt(0)));
  }

  private static String hex(char letter) {
    return Integer.toHexString(letter).toUpperCase(Locale.ROOT);
  }
}
