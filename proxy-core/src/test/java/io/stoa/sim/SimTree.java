// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
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

  private static final String VERSION = "serialNumber";
  private static final int SUCCESS = 0;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int NOT_ALLOWED_ON_NONLEAF = 66;
  private static final int ENTRY_ALREADY_EXISTS = 68;

  /** What a change has led to. Immutable. */
  record Changed(int code, SimTree tree) {}

  /** One with a few containers, each with entries. */
  static SimTree first(int containers, int people) {
    SortedMap<String, Entry> entries = new TreeMap<>();
    put(entries, new Entry(World.SUFFIX, attribute("objectClass", "domain")), 0);
    for (int i = 0; i < containers; i++) {
      Attribute kind = attribute("objectClass", "organizationalUnit");
      put(entries, new Entry(World.container(i), kind), 0);
    }
    for (int i = 0; i < people; i++) {
      put(entries, person(World.person(i, i % containers), World.flag(i)), 0);
    }
    return new SimTree(entries);
  }

  private static Attribute attribute(String name, String value) {
    return new Attribute(name, value);
  }

  private static Entry person(String dn, String flag) {
    return new Entry(
        dn, attribute("objectClass", "person"), attribute(FLAG, flag), attribute(PHONE, "+1 23"));
  }

  private static void put(SortedMap<String, Entry> entries, Entry entry, int version) {
    entry.setAttribute(VERSION, "v" + version);
    entries.put(entry.getDN(), entry);
  }

  @Nullable Entry get(String dn) {
    return entries.get(dn);
  }

  /** What a change leads to, whose number the changed entry gets. */
  Changed with(SimChange change, int version) {
    SortedMap<String, Entry> next = new TreeMap<>(entries);
    int code =
        switch (change.kind()) {
          case MODIFY -> modify(next, change, version);
          case ADD -> add(next, change, version);
          case DELETE -> delete(next, change);
          case RENAME -> rename(next, change, version);
        };
    return new Changed(code, code == SUCCESS ? new SimTree(next) : this);
  }

  private static int modify(SortedMap<String, Entry> next, SimChange change, int version) {
    Entry old = next.get(change.dn());
    if (old == null) {
      return NO_SUCH_OBJECT;
    }
    Entry changed = old.duplicate();
    changed.setAttribute(FLAG, change.to());
    put(next, changed, version);
    return SUCCESS;
  }

  private static int add(SortedMap<String, Entry> next, SimChange change, int version) {
    if (!next.containsKey(parent(change.dn()))) {
      return NO_SUCH_OBJECT;
    }
    if (next.containsKey(change.dn())) {
      return ENTRY_ALREADY_EXISTS;
    }
    put(next, person(change.dn(), change.to()), version);
    return SUCCESS;
  }

  private static int delete(SortedMap<String, Entry> next, SimChange change) {
    if (next.keySet().stream().anyMatch(dn -> dn.endsWith("," + change.dn()))) {
      return NOT_ALLOWED_ON_NONLEAF;
    }
    return next.remove(change.dn()) == null ? NO_SUCH_OBJECT : SUCCESS;
  }

  /** Of those below the renamed entry only the name changes. */
  private int rename(SortedMap<String, Entry> next, SimChange change, int version) {
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
    put(next, new Entry(change.to(), old.getAttributes()), version);
    return SUCCESS;
  }

  private static String parent(String dn) {
    return dn.substring(dn.indexOf(',') + 1);
  }
}
