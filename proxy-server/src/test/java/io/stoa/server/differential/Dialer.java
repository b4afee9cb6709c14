// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.RawLdapClient;
import java.net.InetSocketAddress;

/** How the connections of a run are made, direct and to Stoa alike. */
@FunctionalInterface
interface Dialer {
  Dialer PLAIN = RawLdapClient::connect;

  RawLdapClient dial(InetSocketAddress address);
}
