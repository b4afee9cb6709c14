// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.Entry;
import java.util.function.Predicate;

/** What scripted servers tell of how far they have got: as OpenLDAP does, or a controller of AD. */
public final class ScriptedPositions {
  private ScriptedPositions() {}

  /** It has so many changes of the primary in each of these contexts, and no other contexts. */
  public static void tells(ScriptedUpstream server, int changes, String... contexts) {
    for (String context : contexts) {
      tells(server, changes, context);
    }
    server.when(ScriptedPositions::isRoot, root(contexts));
  }

  /** It has so many changes of the primary in that context from now on. */
  public static void tells(ScriptedUpstream server, int changes, String context) {
    server.when(isPositionOf(context), position(changes, context));
  }

  /** That it has so many changes of the primary in that context. */
  public static Answer position(int changes, String context) {
    Entry suffix = new Entry(context);
    suffix.addAttribute("contextCSN", csn(changes));
    return Answers.entries(suffix);
  }

  /** As one without any entry there, or where nobody may see it. */
  public static void hides(ScriptedUpstream server, String... contexts) {
    for (String context : contexts) {
      server.when(isPositionOf(context), Answers.result(32));
    }
  }

  /** The mark of so many changes. */
  public static String csn(int changes) {
    return String.format("202001010000%02d.000000Z#000000#001#000000", changes);
  }

  /** Whether it is asked for its naming contexts. */
  public static boolean isRoot(Received request) {
    return request.isSearchFor("namingContexts");
  }

  /** Whether it is asked how far it has got in that context. */
  public static Predicate<Received> isPositionOf(String context) {
    return request -> request.isSearchFor(context) && request.message().mentions("contextCSN");
  }

  /** A root DSE with these naming contexts. */
  public static Answer root(String... contexts) {
    Entry entry = entry();
    entry.addAttribute("namingContexts", contexts);
    return Answers.entries(entry);
  }

  /** That of a domain controller which has counted so many changes for itself. */
  public static Answer controller(int changes) {
    Entry entry = entry();
    entry.addAttribute("dsServiceName", "CN=NTDS Settings,CN=DC,CN=Configuration,DC=example");
    entry.addAttribute("highestCommittedUSN", Integer.toString(changes));
    return Answers.entries(entry);
  }

  private static Entry entry() {
    Entry entry = new Entry("");
    entry.addAttribute("objectClass", "top");
    entry.addAttribute("subschemaSubentry", "cn=Subschema");
    return entry;
  }
}
