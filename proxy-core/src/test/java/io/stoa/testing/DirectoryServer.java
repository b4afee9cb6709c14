// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.net.InetSocketAddress;

/** A real directory server that a test has started, and that is gone when it is closed. */
public interface DirectoryServer extends AutoCloseable {
  InetSocketAddress address();

  default String url() {
    return "ldap://" + address().getAddress().getHostAddress() + ":" + address().getPort();
  }

  @Override
  void close();
}
