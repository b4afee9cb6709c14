// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import java.util.LinkedHashMap;
import java.util.Map;

/** The client libraries, each of another make, that run the programme. Immutable. */
enum ClientLibrary {
  LDAP_UTILS,
  PYTHON_LDAP,
  NET_LDAP,
  UNBOUNDID,
  JNDI;

  private static final ScriptProgramme SHELL =
      new ScriptProgramme("/bin/bash", "client.sh", "ldap-utils");
  private static final ScriptProgramme PYTHON =
      new ScriptProgramme("/usr/bin/python3", "client.py", "python3-ldap");
  private static final ScriptProgramme PERL =
      new ScriptProgramme("/usr/bin/perl", "client.pl", "libnet-ldap-perl libio-socket-ssl-perl");

  /** The result code of each step, in the order of the steps, as this library tells it. */
  Map<String, Integer> results() {
    Map<String, Integer> results = new LinkedHashMap<>(Programme.RESULTS);
    if (this == JNDI) {
      results.put("referral-subtree", 10); // thrown after the last entry
      results.put("delete-missing", 0); // what is not there need not be deleted
    }
    return results;
  }

  /** Runs the programme from its begin to its end. */
  Transcript run(Target target) throws Exception {
    return switch (this) {
      case LDAP_UTILS -> SHELL.run(target);
      case PYTHON_LDAP -> PYTHON.run(target);
      case NET_LDAP -> PERL.run(target);
      case UNBOUNDID -> UnboundIdClient.run(target);
      case JNDI -> JndiClient.run(target);
    };
  }
}
