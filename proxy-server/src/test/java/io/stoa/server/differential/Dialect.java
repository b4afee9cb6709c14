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

    @Override
    String[] policy() {
      return new String[] {
        "objectClass: pwdPolicy",
        "pwdAttribute: userPassword",
        "pwdLockout: TRUE",
        "pwdMaxFailure: 3",
        "pwdMustChange: TRUE"
      };
    }

    @Override
    String[] underPolicy(String policy) {
      return new String[] {"pwdPolicySubentry: " + policy};
    }

    @Override
    String[] mustChangePassword() {
      return new String[] {"pwdReset: TRUE"};
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

    /** The server has one policy for all. */
    @Override
    String[] policy() {
      return new String[0];
    }

    @Override
    String[] underPolicy(String policy) {
      return new String[0];
    }

    @Override
    String[] mustChangePassword() {
      return new String[0];
    }
  };

  abstract Ldif ldif();

  /** What makes an entry a subentry. */
  abstract String[] subentry();

  /** What lets an entry act for those whose names match. */
  abstract String[] mayActFor(String pattern);

  /** What makes an entry a password policy that locks out after three failures. */
  abstract String[] policy();

  /** What puts an entry under a password policy. */
  abstract String[] underPolicy(String policy);

  /** What makes somebody choose a new password. */
  abstract String[] mustChangePassword();
}
