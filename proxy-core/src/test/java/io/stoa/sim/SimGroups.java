// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import java.util.SortedMap;

/**
 * The overlays memberof and refint: whoever is written into a group or out of it shows that in an
 * attribute of his own, and whoever goes, or gets another name, is put right in groups; both
 * without a CSN and without a notice. Stateless.
 */
final class SimGroups {
  static final String MEMBER = "member";
  static final String MEMBER_OF = "memberOf";

  private static final int SUCCESS = 0;
  private static final int NO_SUCH_ATTRIBUTE = 16;
  private static final int ATTRIBUTE_OR_VALUE_EXISTS = 20;
  private static final int NO_SUCH_OBJECT = 32;

  private SimGroups() {}

  /** Writes a member into a group; the group's stamp is left to the caller. */
  static int change(SortedMap<String, Entry> entries, SimChange change) {
    Entry group = entries.get(change.dn());
    if (group == null) {
      return NO_SUCH_OBJECT;
    }
    boolean joins = change.kind() == SimChange.Kind.JOIN;
    if (group.hasAttributeValue(MEMBER, change.to()) == joins) {
      return joins ? ATTRIBUTE_OR_VALUE_EXISTS : NO_SUCH_ATTRIBUTE;
    }
    entries.put(change.dn(), with(group, joins, MEMBER, change.to()));
    show(entries, change.to(), joins, change.dn());
    return SUCCESS;
  }

  /** After somebody has gone, or has got another name. */
  static void repair(SortedMap<String, Entry> entries, SimChange change) {
    for (int i = 0; i < SimNames.GROUPS; i++) {
      Entry group = entries.get(SimNames.group(i));
      if (group != null && group.hasAttributeValue(MEMBER, change.dn())) {
        Entry repaired = with(group, false, MEMBER, change.dn());
        if (change.kind() == SimChange.Kind.RENAME) {
          repaired.addAttribute(MEMBER, change.to());
        }
        entries.put(group.getDN(), repaired);
      }
    }
  }

  private static Entry with(Entry entry, boolean more, String attribute, String value) {
    Entry changed = entry.duplicate();
    if (more) {
      changed.addAttribute(attribute, value);
    } else {
      changed.removeAttributeValue(attribute, value);
    }
    return changed;
  }

  private static void show(
      SortedMap<String, Entry> entries, String member, boolean joins, String group) {
    Entry person = entries.get(member);
    if (person != null) {
      entries.put(member, with(person, joins, MEMBER_OF, group));
    }
  }
}
