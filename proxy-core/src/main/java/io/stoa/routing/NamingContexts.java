// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Finds the naming contexts of the directory that a request concerns.
 *
 * <p>Threading: thread-safe.
 */
public final class NamingContexts {
  private final Supplier<ServerProfile> profile;

  public NamingContexts(Supplier<ServerProfile> profile) {
    this.profile = profile;
  }

  /** Returns the naming contexts that hold the entry or lie below it. */
  Stream<NormalDn> of(NormalDn dn) {
    return profile.get().namingContexts().stream()
        .filter(context -> dn.isBelowOrEqual(context) || context.isBelowOrEqual(dn));
  }

  /** Returns the entries that the request names; empty if it names none. */
  List<NormalDn> targets(Request request) {
    if (request.op() instanceof ModifyDnOp move && move.newSuperior() != null) {
      return Stream.of(move.entry(), move.newSuperior()).map(this::dn).toList();
    }
    byte[] name = request.op().target();
    return name == null ? List.of() : List.of(dn(name));
  }

  /**
   * True if the request concerns the server itself: the root DSE, the schema, or another entry in
   * no naming context.
   */
  boolean ofServer(Request request) {
    List<NormalDn> contexts = profile.get().namingContexts();
    return targets(request).stream()
        .anyMatch(dn -> dn.isRoot() || (!contexts.isEmpty() && inNone(dn, contexts)));
  }

  private static boolean inNone(NormalDn dn, List<NormalDn> contexts) {
    return contexts.stream().noneMatch(dn::isBelowOrEqual);
  }

  /** Returns the normalized name: all spellings that are known to be equal have one form. */
  Octets normal(byte[] name) {
    return dn(name).octets();
  }

  private NormalDn dn(byte[] octets) {
    return NormalDn.of(octets, profile.get());
  }
}
