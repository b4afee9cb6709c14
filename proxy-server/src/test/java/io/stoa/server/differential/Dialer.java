// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import java.net.InetSocketAddress;

/** How the connections of a run are made and bound, direct and to Stoa alike. */
@FunctionalInterface
public interface Dialer {
  Dialer PLAIN = RawLdapClient::connect;

  RawLdapClient dial(InetSocketAddress address);

  /** The request as it is made on such a connection: another kind of bind, perhaps. */
  default RawRequest spoken(RawRequest request) {
    return request;
  }
}
