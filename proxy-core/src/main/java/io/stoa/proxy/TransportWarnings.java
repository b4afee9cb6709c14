// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.net.peer.Network;
import io.stoa.operation.external.ExternalRule;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Warnings about a configuration that exposes passwords in transit.
 *
 * <p>Threading: stateless.
 */
public final class TransportWarnings {
  private static final String DIRECTORY_DECIDES =
      "the directory decides who these users are: see that none of them is the service account or"
          + " one of identity.ownConnections, which Stoa cannot";

  private TransportWarnings() {}

  /** Returns one line for each warning; mostly none. */
  public static List<String> of(ProxyConfig config) {
    UpstreamConfig upstream = config.upstream();
    List<String> warnings = new ArrayList<>();
    for (ServerAddress server : upstream.exposed()) {
      warnings.add(server + " is reached without TLS: " + consequence(upstream));
    }
    if (upstream.usesTls() && exposed(config.access())) {
      warnings.add(
          "the directory servers are reached by TLS, but clients of other machines may come without"
              + " it: their passwords are in the clear on the way to Stoa");
    }
    if (upstream.addresses().stream().map(upstream.transport()::encrypts).distinct().count() > 1) {
      warnings.add(
          "some directory servers are reached by TLS and some are not: if their rules ask for it"
              + " (ssf), what one of them shows is served from memory where another would not");
    }
    if (config.access().proxyProtocol().stream().anyMatch(Network::isEverywhere)) {
      warnings.add(
          "proxyProtocol trusts everybody: any client can say that it comes from any address");
    }
    upstream.identity().external().stream()
        .filter(ExternalRule::mapsToUserNames)
        .map(rule -> "identity.external: '" + rule + "': " + DIRECTORY_DECIDES)
        .forEach(warnings::add);
    return warnings;
  }

  private static String consequence(UpstreamConfig upstream) {
    if (upstream.transport().allowPlain()) {
      return "passwords go to it in the clear, also those of clients that use TLS"
          + " (upstream.allowPlain)";
    }
    boolean others = upstream.exposed().size() < upstream.addresses().size();
    return "binds of clients that use TLS "
        + (others ? "go to other servers only" : "are refused")
        + "; use ldaps://, upstream.startTls or, if you must, upstream.allowPlain";
  }

  private static boolean exposed(AccessConfig access) {
    return !access.requireTls()
        && access.listeners().stream()
            .anyMatch(
                listener ->
                    listener.kind() == Protocol.LDAP && !ServerAddress.isLoopback(listener.host()));
  }
}
