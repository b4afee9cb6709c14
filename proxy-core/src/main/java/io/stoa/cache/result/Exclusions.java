// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.peer.Network;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests that bypass the caches by configuration.
 *
 * <p>Threading: immutable.
 *
 * @param subtrees DNs: searches whose scope can reach one of these subtrees
 * @param identities bind DNs of clients; the empty string names anonymous clients
 * @param filterAttributes attributes: searches whose filter names one of them
 * @param clientNetworks networks of clients, as {@code 10.0.0.0/8} or {@code fd00::/8}
 */
public record Exclusions(
    List<String> subtrees,
    List<String> identities,
    List<String> filterAttributes,
    List<String> clientNetworks) {

  /** No exclusions. */
  public static final Exclusions NONE = new Exclusions(List.of(), List.of(), List.of(), List.of());

  public Exclusions {
    subtrees = List.copyOf(subtrees);
    identities = List.copyOf(identities);
    filterAttributes = List.copyOf(filterAttributes);
    clientNetworks = List.copyOf(clientNetworks);
    clientNetworks.forEach(Network::parse);
  }

  /**
   * Clients that bypass the caches, by identity and by network. Names that may be equal count as
   * equal: an exclusion of one client too many only costs hits.
   *
   * <p>Threading: immutable.
   */
  static final class Clients {
    private static final String DN_FORM = "dn:";

    private final List<NormalDn> identities;
    private final List<Network> networks;

    Clients(Exclusions exclusions) {
      this.identities = exclusions.identities().stream().map(Clients::dn).toList();
      this.networks = exclusions.clientNetworks().stream().map(Network::parse).toList();
    }

    private static NormalDn dn(String text) {
      return NormalDn.of(text.getBytes(StandardCharsets.UTF_8), ServerProfile.EXACT);
    }

    boolean exclude(ClientSession session) {
      return (!identities.isEmpty() && isExcluded(session.identity()))
          || (!networks.isEmpty() && isExcluded(session.address()));
    }

    /**
     * Compares both the bind name and the authorization identity, so the bind method is irrelevant.
     */
    private boolean isExcluded(ClientIdentity identity) {
      Octets authzId = identity.authzId();
      String authzText = authzId == null ? "" : new String(authzId.array(), StandardCharsets.UTF_8);
      return isExcluded(NormalDn.of(identity.name().array(), ServerProfile.EXACT))
          || (authzText.startsWith(DN_FORM)
              && isExcluded(dn(authzText.substring(DN_FORM.length()))));
    }

    private boolean isExcluded(NormalDn dn) {
      return identities.stream().anyMatch(id -> id.isBelowOrEqual(dn) && dn.isBelowOrEqual(id));
    }

    private boolean isExcluded(@Nullable InetAddress address) {
      return address != null && networks.stream().anyMatch(network -> network.contains(address));
    }
  }
}
