// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.ldap.protocol.Octets;
import io.stoa.net.peer.ClientNetwork;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The requests of all clients at one moment, by network and by identity. Taken in this order: the
 * network that holds most, its identity that holds most, the slowest requests.
 *
 * <p>Threading: confined to the thread that created it.
 */
final class RequestShares {
  private final PriorityQueue<NetworkShare> networks = new PriorityQueue<>(NetworkShare.LARGEST);

  private RequestShares() {}

  /** Returns the shares of these requests. Speeds are measured until {@code nanoTime}. */
  static RequestShares of(Collection<HeldRequests> requests, long nanoTime) {
    Map<ClientNetwork, NetworkShare> networks = new HashMap<>();
    for (HeldRequests request : requests) {
      int octets = request.octets();
      if (octets > 0) {
        HeldRequests.Owner owner = request.owner();
        networks
            .computeIfAbsent(ClientNetwork.of(owner.peer()), key -> new NetworkShare())
            .add(owner.identity(), new Held(request, octets, request.speed(octets, nanoTime)));
      }
    }
    RequestShares shares = new RequestShares();
    networks.values().forEach(NetworkShare::sort);
    shares.networks.addAll(networks.values());
    return shares;
  }

  /** True if a request is left. */
  boolean hasMore() {
    return !networks.isEmpty();
  }

  /**
   * Removes the client with the slowest requests, of the identity and the network that hold most.
   */
  HeldRequests takeSlowest() {
    NetworkShare largest = networks.remove();
    Held slowest = largest.takeSlowest();
    if (largest.octets > 0) {
      networks.add(largest);
    }
    return slowest.request;
  }

  private record Held(HeldRequests request, int octets, double speed) {
    static final Comparator<Held> SLOWEST = Comparator.comparingDouble(Held::speed);
  }

  /**
   * The requests of one identity in one network.
   *
   * <p>Threading: confined to one thread.
   */
  private static final class Identity {
    static final Comparator<Identity> LARGEST =
        Comparator.comparingLong((Identity identity) -> identity.octets).reversed();

    private final PriorityQueue<Held> requests = new PriorityQueue<>(Held.SLOWEST);
    private long octets;

    void add(Held held) {
      requests.add(held);
      octets += held.octets;
    }

    Held takeSlowest() {
      Held slowest = requests.remove();
      octets -= slowest.octets;
      return slowest;
    }
  }

  /**
   * The requests of one network.
   *
   * <p>Threading: confined to one thread.
   */
  private static final class NetworkShare {
    static final Comparator<NetworkShare> LARGEST =
        Comparator.comparingLong((NetworkShare network) -> network.octets).reversed();

    private final Map<Octets, Identity> identities = new HashMap<>();
    private final PriorityQueue<Identity> largest = new PriorityQueue<>(Identity.LARGEST);
    private long octets;

    void add(Octets name, Held held) {
      identities.computeIfAbsent(name, key -> new Identity()).add(held);
      octets += held.octets;
    }

    void sort() {
      largest.addAll(identities.values());
    }

    Held takeSlowest() {
      Identity identity = largest.remove();
      Held slowest = identity.takeSlowest();
      octets -= slowest.octets;
      if (identity.octets > 0) {
        largest.add(identity);
      }
      return slowest;
    }
  }
}
