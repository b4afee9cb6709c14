// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import java.util.Set;

/**
 * Attributes, in lower case, that a kind of server makes up, so that two servers with the same data
 * differ in them: in every entry, or in entries that were written since they were started.
 * Immutable.
 */
public record VolatileAttributes(Set<String> always, Set<String> ofWritten) {
  static final VolatileAttributes SLAPD =
      new VolatileAttributes(
          Set.of("contextcsn", "pwdfailuretime", "pwdaccountlockedtime", "pwdchangedtime"),
          Set.of("entryuuid", "entrycsn", "createtimestamp", "modifytimestamp"));

  static final VolatileAttributes DS389 =
      new VolatileAttributes(
          Set.of("dataversion", "netscapemdsuffix"),
          Set.of("entryuuid", "nsuniqueid", "createtimestamp", "modifytimestamp"));

  /** Also what a bind changes, of which Stoa needs more, or fewer. */
  static final VolatileAttributes SAMBA =
      new VolatileAttributes(
          Set.of(
              "currenttime",
              "highestcommittedusn",
              "usnchanged",
              "usncreated",
              "whenchanged",
              "lastlogon",
              "lastlogontimestamp",
              "logoncount",
              "badpasswordtime",
              "badpwdcount",
              "pwdlastset",
              "dscorepropagationdata",
              "replpropertymetadata"),
          Set.of("objectguid", "whencreated", "objectsid"));
}
