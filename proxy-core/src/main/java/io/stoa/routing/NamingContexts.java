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

/** Which naming contexts of the directory a request concerns. Thread-safe. */
public final class NamingContexts {
  private final Supplier<ServerProfile> profile;

  public NamingContexts(Supplier<ServerProfile> profile) {
    this.profile = profile;
  }

  /** The naming contexts that hold the entry, or are held by its subtree. */
  Stream<NormalDn> of(NormalDn dn) {
    return profile.get().namingContexts().stream()
        .filter(context -> dn.isBelowOrEqual(context) || context.isBelowOrEqual(dn));
  }

  /** The entries that the request names; none if it names none. */
  List<NormalDn> targets(Request request) {
    if (request.op() instanceof ModifyDnOp move && move.newSuperior() != null) {
      return Stream.of(move.entry(), move.newSuperior()).map(this::dn).toList();
    }
    byte[] name = request.op().target();
    return name == null ? List.of() : List.of(dn(name));
  }

  /**
   * Whether the request is about the server itself: the root DSE, the schema, or another entry that
   * no naming context holds.
   */
  boolean ofServer(Request request) {
    List<NormalDn> contexts = profile.get().namingContexts();
    return targets(request).stream()
        .anyMatch(dn -> dn.isRoot() || (!contexts.isEmpty() && inNone(dn, contexts)));
  }

  private static boolean inNone(NormalDn dn, List<NormalDn> contexts) {
    return contexts.stream().noneMatch(dn::isBelowOrEqual);
  }

  /** A name in the form in which all its spellings are equal, as far as that is known. */
  Octets normal(byte[] name) {
    return dn(name).octets();
  }

  private NormalDn dn(byte[] octets) {
    return NormalDn.of(octets, profile.get());
  }
}
