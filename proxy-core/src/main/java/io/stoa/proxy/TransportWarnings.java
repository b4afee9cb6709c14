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
      "the directory maps these users to DNs. Make sure that none is the service "
          + "account or one of identity.neverProxied: Stoa cannot check it";

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
          "the directory servers are reached by TLS, but remote clients may connect "
              + "without it: their passwords reach Stoa in the clear");
    }
    if (upstream.addresses().stream().map(upstream.transport()::encrypts).distinct().count() > 1) {
      warnings.add(
          "only some directory servers are reached by TLS: if their access rules "
              + "depend on TLS (ssf), the cache may serve entries that another server would "
              + "hide");
    }
    if (config.access().proxyProtocol().stream().anyMatch(Network::isEverywhere)) {
      warnings.add("proxyProtocol trusts every address: any client can claim any source address");
    }
    upstream.identity().external().stream()
        .filter(ExternalRule::mapsToUserNames)
        .map(rule -> "identity.external: '" + rule + "': " + DIRECTORY_DECIDES)
        .forEach(warnings::add);
    return warnings;
  }

  private static String consequence(UpstreamConfig upstream) {
    if (upstream.transport().allowPlain()) {
      return "passwords reach it in the clear, even those of clients that use TLS "
          + "(upstream.allowPlain)";
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
