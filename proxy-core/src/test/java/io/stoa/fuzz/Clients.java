// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The connections of all identities to one address. Confined to the thread of the test. */
final class Clients implements AutoCloseable {
  private final InetSocketAddress address;
  private final List<Identity> identities;
  private final Map<Integer, RawLdapClient> open = new HashMap<>();

  Clients(InetSocketAddress address, List<Identity> identities) {
    this.address = address;
    this.identities = identities;
  }

  /** The answer to a request; {@link Told#CLOSED} if the connection ended first. */
  List<String> call(int who, RawRequest request) {
    RawLdapClient client = open.computeIfAbsent(who, this::connect);
    try {
      return Told.by(client.call(request));
    } catch (AssertionError | UncheckedIOException e) {
      open.remove(who).close();
      return Told.CLOSED;
    }
  }

  private RawLdapClient connect(int who) {
    RawLdapClient client = RawLdapClient.connect(address);
    Identity identity = identities.get(who);
    return identity.dn().isEmpty() ? client : client.bind(identity.dn(), identity.password());
  }

  @Override
  public void close() {
    open.values().forEach(RawLdapClient::close);
    open.clear();
  }
}
