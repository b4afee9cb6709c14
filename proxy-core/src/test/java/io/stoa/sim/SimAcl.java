// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;

/**
 * Access rules: the administrator sees all; what others see differs by the number of the rules.
 * They are a part of the servers' configuration, so they are in no feed and have no CSN. Immutable.
 */
record SimAcl(int number) {
  /** How many different ones there are. */
  static final int VARIANTS = 6;

  /** By these the clerk sees telephone numbers while he is in the first group. */
  static final int BY_GROUP = 5;

  private static final Clearance ALL = new Clearance(true, "");

  /**
   * What an identity may see. Immutable.
   *
   * @param phones whether telephone numbers
   * @param hidden the container below which it sees nothing; empty if there is none
   */
  record Clearance(boolean phones, String hidden) {
    boolean hides(String dn) {
      return !hidden.isEmpty() && (dn.equals(hidden) || dn.endsWith("," + hidden));
    }

    /** The same entry, if it has no telephone number. */
    static Entry withoutPhones(Entry entry) {
      if (!entry.hasAttribute(SimTree.PHONE)) {
        return entry;
      }
      Entry less = entry.duplicate();
      less.removeAttribute(SimTree.PHONE);
      return less;
    }
  }

  /** What somebody may see of a tree. */
  Clearance of(String identity, SimTree tree) {
    return switch (identity) {
      case SimNames.ADMIN -> ALL;
      case SimNames.FEED -> new Clearance(true, SimNames.HIDDEN_FROM_FEED);
      case SimNames.CLERK -> clerk(tree);
      default ->
          new Clearance(false, SimNames.container((number + 2) % SimNames.PRESENT_CONTAINERS));
    };
  }

  private Clearance clerk(SimTree tree) {
    boolean phones =
        number == BY_GROUP ? tree.isMember(SimNames.group(0), SimNames.CLERK) : number % 2 == 1;
    return new Clearance(phones, number % 3 == 1 ? SimNames.container(0) : "");
  }

  /** Whether they hide from somebody what was shown to him, whatever is in which group. */
  boolean hides(String identity, String dn, String shown) {
    Clearance most =
        number == BY_GROUP && identity.equals(SimNames.CLERK) ? ALL : of(identity, SimTree.NOTHING);
    return most.hides(dn) || (!most.phones() && shown.contains(SimTree.PHONE));
  }
}
