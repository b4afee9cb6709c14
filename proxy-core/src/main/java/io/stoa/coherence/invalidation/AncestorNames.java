// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.ldap.schema.NormalDn;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects the names above the entries of a result, up to the naming context. Immutable.
 *
 * @param context the name of the naming context
 * @param names parses a DN as the directory compares it
 */
record AncestorNames(NormalDn context, Function<byte[], NormalDn> names) {

  /**
   * Returns the names above all entries of a result, with their spelling. The base is included if
   * it exists and the result does not show it. Returns null if a part of the result is outside the
   * naming context.
   */
  @Nullable Map<NormalDn, byte[]> above(ReadStart readStart, ReadResult result) {
    Map<NormalDn, byte[]> ancestors = new LinkedHashMap<>();
    Set<String> seenNames = new HashSet<>();
    boolean within = readStart.query().base().isBelowOrEqual(context);
    boolean baseToo = !result.absent() && !result.dns().contains(readStart.query().base());
    collect(start(readStart.base(), baseToo), seenNames, ancestors);
    for (ReadResult.Shown shown : result.shown()) {
      within &= shown.dn().isBelowOrEqual(context);
      collect(start(shown.name(), false), seenNames, ancestors);
    }
    return within ? ancestors : null;
  }

  /** Returns the name itself or its parent; null if there is none, or the name is not a DN. */
  private static @Nullable DN start(byte[] name, boolean itself) {
    DN dn = parse(name);
    return itself || dn == null ? dn : dn.getParent();
  }

  private void collect(@Nullable DN first, Set<String> seenNames, Map<NormalDn, byte[]> ancestors) {
    for (DN dn = first; dn != null && seenNames.add(dn.toString()); dn = dn.getParent()) {
      byte[] octets = dn.toString().getBytes(StandardCharsets.UTF_8);
      NormalDn ancestor = names.apply(octets);
      if (!ancestor.isBelowOrEqual(context)) {
        return;
      }
      ancestors.put(ancestor, octets);
    }
  }

  private static @Nullable DN parse(byte[] name) {
    try {
      return new DN(new String(name, StandardCharsets.UTF_8));
    } catch (LDAPException e) {
      return null;
    }
  }
}
