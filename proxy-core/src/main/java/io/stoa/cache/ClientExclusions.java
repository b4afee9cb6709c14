// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.ldap.Octets;
import io.stoa.match.NormalDn;
import io.stoa.match.ServerProfile;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.origin.Network;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which clients never use the caches, by who they are and where they come from. Names are compared
 * widely: an exclusion that catches a client too many costs hits only. Immutable.
 */
final class ClientExclusions {
  private static final String DN_FORM = "dn:";

  private final List<NormalDn> identities;
  private final List<Network> networks;

  ClientExclusions(Exclusions exclusions) {
    this.identities = exclusions.identities().stream().map(ClientExclusions::dn).toList();
    this.networks = exclusions.clientNetworks().stream().map(Network::parse).toList();
  }

  private static NormalDn dn(String text) {
    return NormalDn.of(text.getBytes(StandardCharsets.UTF_8), ServerProfile.EXACT);
  }

  boolean exclude(ClientSession session) {
    return (!identities.isEmpty() && isExcluded(session.identity()))
        || (!networks.isEmpty() && isExcluded(session.address()));
  }

  /** Whichever way the client has bound, if the directory knows it by that DN. */
  private boolean isExcluded(ClientIdentity identity) {
    Octets authzId = identity.authzId();
    String known = authzId == null ? "" : new String(authzId.array(), StandardCharsets.UTF_8);
    return isExcluded(NormalDn.of(identity.name().array(), ServerProfile.EXACT))
        || (known.startsWith(DN_FORM) && isExcluded(dn(known.substring(DN_FORM.length()))));
  }

  private boolean isExcluded(NormalDn dn) {
    return identities.stream().anyMatch(id -> id.isBelowOrEqual(dn) && dn.isBelowOrEqual(id));
  }

  private boolean isExcluded(@Nullable InetAddress address) {
    return address != null && networks.stream().anyMatch(network -> network.contains(address));
  }
}
