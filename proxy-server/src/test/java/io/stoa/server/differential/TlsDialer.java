// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;

/**
 * Connections inside TLS, by StartTLS and by LDAPS in turn, so that some identities come in one way
 * and some in the other, the same on both sides. Not thread-safe.
 */
final class TlsDialer implements Dialer {
  private final SSLContext context;
  private final Dialer binds;
  private final Map<InetSocketAddress, InetSocketAddress> ldaps = new HashMap<>();
  private final Map<InetSocketAddress, Integer> dialled = new HashMap<>();

  /**
   * Makes it.
   *
   * @param binds in which way people bind
   */
  TlsDialer(SSLContext context, Dialer binds) {
    this.context = context;
    this.binds = binds;
  }

  /** Says where LDAPS is spoken by who speaks StartTLS at an address. */
  TlsDialer with(InetSocketAddress address, int tlsPort) {
    ldaps.put(address, new InetSocketAddress(InetAddress.getLoopbackAddress(), tlsPort));
    return this;
  }

  @Override
  public RawLdapClient dial(InetSocketAddress address) {
    boolean startTls = dialled.merge(address, 1, Integer::sum) % 2 == 0;
    return startTls
        ? RawLdapClient.connect(address).startTls(context)
        : RawLdapClient.connect(ldaps.get(address), context);
  }

  @Override
  public RawRequest spoken(RawRequest request) {
    return binds.spoken(request);
  }
}
