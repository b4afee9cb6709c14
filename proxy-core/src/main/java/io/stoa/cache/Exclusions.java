// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.origin.Network;
import java.util.List;

/**
 * What is never answered from the caches nor stored in them. Immutable.
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

  /** Nothing is excluded. */
  public static final Exclusions NONE = new Exclusions(List.of(), List.of(), List.of(), List.of());

  public Exclusions {
    subtrees = List.copyOf(subtrees);
    identities = List.copyOf(identities);
    filterAttributes = List.copyOf(filterAttributes);
    clientNetworks = List.copyOf(clientNetworks);
    clientNetworks.forEach(Network::parse);
  }
}
