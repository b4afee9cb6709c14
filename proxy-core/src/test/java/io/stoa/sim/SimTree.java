// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All entries of the directory in one state, by DN. Each change of an entry gives it another
 * version, so that what is shown of it tells when it was so. Immutable.
 */
record SimTree(SortedMap<String, Entry> entries) {
  static final String FLAG = "l";
  static final String PHONE = "telephoneNumber";
  static final String VERSION = "serialNumber";
  static final String UUID = "entryUUID";
  static final String SUBORDINATES = "hasSubordinates";
  static final String CSN = "entryCSN";
  static final SimTree NOTHING = new SimTree(new TreeMap<>());

  /** With which all histories begin. */
  static final SimTree FIRST = first(SimNames.PRESENT_CONTAINERS, SimNames.PEOPLE);

  /** What of its entries those see who see no telephone numbers. */
  static final IdentityHashMap<Entry, Entry> FIRST_WITHOUT_PHONES = withoutPhones(FIRST);

  private static final int SUCCESS = 0;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int NOT_ALLOWED_ON_NONLEAF = 66;
  private static final int ENTRY_ALREADY_EXISTS = 68;

  /** What a change has led to. Immutable. */
  record Changed(int code, SimTree tree) {}

  /** One with a few containers, each with entries. */
  private static SimTree first(int containers, int people) {
    SortedMap<String, Entry> entries = new TreeMap<>();
    put(entries, new Entry(SimNames.SUFFIX, attribute("objectClass", "domain")), 0);
    for (int i = 0; i < containers; i++) {
      Attribute kind = attribute("objectClass", "organizationalUnit");
      put(entries, new Entry(SimNames.container(i), kind), 0);
    }
    for (int i = 0; i < SimNames.GROUPS; i++) {
      Attribute kind = attribute("objectClass", "groupOfNames");
      put(
          entries,
          new Entry(SimNames.group(i), kind, attribute(SimGroups.MEMBER, SimNames.ADMIN)),
          0);
    }
    for (int i = 0; i < people; i++) {
      put(entries, person(SimNames.person(i, i % containers), SimNames.flag(i)), 0);
    }
    int born = 0;
    for (Entry entry : entries.values()) {
      entry.setAttribute(UUID, SimCsn.uuid(born++));
    }
    return new SimTree(entries);
  }

  private static IdentityHashMap<Entry, Entry> withoutPhones(SimTree tree) {
    IdentityHashMap<Entry, Entry> less = new IdentityHashMap<>();
    tree.entries.values().forEach(entry -> less.put(entry, SimAcl.Clearance.withoutPhones(entry)));
    return less;
  }

  private static Attribute attribute(String name, String value) {
    return new Attribute(name, value);
  }

  private static Entry person(String dn, String flag) {
    return new Entry(
        dn,
        attribute("objectClass", "person"),
        attribute("cn", rdn(dn)),
        attribute(FLAG, flag),
        attribute(PHONE, "+1 23"));
  }

  private static void put(SortedMap<String, Entry> entries, Entry entry, int csn) {
    entry.setAttribute(VERSION, "v" + csn);
    entry.setAttribute(CSN, SimCsn.text(csn));
    entries.put(entry.getDN(), entry);
  }

  @Nullable Entry get(String dn) {
    return entries.get(dn);
  }

  /** The names of all entries that are not there, or not the same, in one of the two. */
  Set<String> differences(SimTree other) {
    Set<String> names = new HashSet<>();
    entries.forEach(
        (dn, entry) -> {
          if (!entry.equals(other.entries.get(dn))) {
            names.add(dn);
          }
        });
    for (String dn : other.entries.keySet()) {
      if (!entries.containsKey(dn)) {
        names.add(dn);
      }
    }
    return names;
  }

  /** Whether nothing is below an entry. */
  boolean isLeaf(String dn) {
    String below = "," + dn;
    return entries.keySet().stream().noneMatch(one -> one.endsWith(below));
  }

  /** An entry with what the server counts, and tells only those who ask for all it knows. */
  Entry counted(Entry entry) {
    Entry counted = entry.duplicate();
    counted.setAttribute(SUBORDINATES, isLeaf(entry.getDN()) ? "FALSE" : "TRUE");
    return counted;
  }

  boolean isMember(String group, String dn) {
    Entry entry = entries.get(group);
    return entry != null && entry.hasAttributeValue(SimGroups.MEMBER, dn);
  }

  /**
   * What a change leads to.
   *
   * @param csn its number, by which the changed entry can be told from older ones
   * @param repairs whether groups are put right
   */
  Changed with(SimChange change, int csn, boolean repairs) {
    SortedMap<String, Entry> next = new TreeMap<>(entries);
    int code =
        switch (change.kind()) {
          case MODIFY -> modify(next, change, csn);
          case ADD -> add(next, change, csn);
          case DELETE -> delete(next, change);
          case RENAME -> rename(next, change, csn);
          case JOIN, LEAVE -> group(next, change, csn);
        };
    boolean goes = change.kind() == SimChange.Kind.DELETE || change.kind() == SimChange.Kind.RENAME;
    if (code == SUCCESS && goes && repairs) {
      SimGroups.repair(next, change);
    }
    return new Changed(code, code == SUCCESS ? new SimTree(next) : this);
  }

  private static int modify(SortedMap<String, Entry> next, SimChange change, int csn) {
    Entry old = next.get(change.dn());
    if (old == null) {
      return NO_SUCH_OBJECT;
    }
    Entry changed = old.duplicate();
    changed.setAttribute(FLAG, change.to());
    put(next, changed, csn);
    return SUCCESS;
  }

  private static int add(SortedMap<String, Entry> next, SimChange change, int csn) {
    if (!next.containsKey(parent(change.dn()))) {
      return NO_SUCH_OBJECT;
    }
    if (next.containsKey(change.dn())) {
      return ENTRY_ALREADY_EXISTS;
    }
    Entry person = person(change.dn(), change.to());
    person.setAttribute(UUID, SimCsn.uuid(1_000 + csn));
    put(next, person, csn);
    return SUCCESS;
  }

  private static int delete(SortedMap<String, Entry> next, SimChange change) {
    String below = "," + change.dn();
    for (String dn : next.keySet()) {
      if (dn.endsWith(below)) {
        return NOT_ALLOWED_ON_NONLEAF;
      }
    }
    return next.remove(change.dn()) == null ? NO_SUCH_OBJECT : SUCCESS;
  }

  private static int group(SortedMap<String, Entry> next, SimChange change, int csn) {
    int code = SimGroups.change(next, change);
    if (code == SUCCESS) {
      put(next, next.get(change.dn()), csn);
    }
    return code;
  }

  /** Of those below the renamed entry only the name changes. */
  private int rename(SortedMap<String, Entry> next, SimChange change, int csn) {
    Entry old = next.get(change.dn());
    if (old == null || !next.containsKey(parent(change.to()))) {
      return NO_SUCH_OBJECT;
    }
    if (next.containsKey(change.to())) {
      return ENTRY_ALREADY_EXISTS;
    }
    for (Entry entry : entries.values()) {
      String dn = entry.getDN();
      if (dn.equals(change.dn()) || dn.endsWith("," + change.dn())) {
        next.remove(dn);
        String kept = dn.substring(0, dn.length() - change.dn().length());
        next.put(kept + change.to(), new Entry(kept + change.to(), entry.getAttributes()));
      }
    }
    put(next, renamed(change.to(), old), csn);
    return SUCCESS;
  }

  private static Entry renamed(String dn, Entry old) {
    Entry renamed = new Entry(dn, old.getAttributes());
    if (renamed.hasAttribute("cn")) {
      renamed.setAttribute("cn", rdn(dn));
    }
    return renamed;
  }

  private static String parent(String dn) {
    return dn.substring(dn.indexOf(',') + 1);
  }

  private static String rdn(String dn) {
    return dn.substring(dn.indexOf('=') + 1, dn.indexOf(','));
  }
}
