// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.Ldif;

/** In what the LDIF of one directory differs between kinds of servers. Immutable. */
enum Dialect {
  SLAPD {
    @Override
    Ldif ldif() {
      return new Ldif();
    }

    @Override
    String[] subentry() {
      return new String[] {"objectClass: subentry", "subtreeSpecification: {}"};
    }

    @Override
    String[] mayActFor(String pattern) {
      return new String[] {"authzTo: dn.regex:" + pattern};
    }
  },

  DS389 {
    @Override
    Ldif ldif() {
      return Ldif.forDs389();
    }

    @Override
    String[] subentry() {
      return new String[] {"objectClass: ldapSubentry"};
    }

    /** An access rule says it, not the entry. */
    @Override
    String[] mayActFor(String pattern) {
      return new String[0];
    }
  };

  abstract Ldif ldif();

  /** What makes an entry a subentry. */
  abstract String[] subentry();

  /** What lets an entry act for those whose names match. */
  abstract String[] mayActFor(String pattern);
}
