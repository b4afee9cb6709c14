// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import org.jspecify.annotations.Nullable;

/** As whom to bind. Implementations are confined to one command. */
@FunctionalInterface
public interface Credentials {
  /**
   * Who it is.
   *
   * @return null for whoever runs this process, by SASL EXTERNAL
   * @throws StoaException if there is no password
   */
  @Nullable Simple get() throws StoaException;

  /**
   * A name and its password, which is wiped after use. Not for logs.
   *
   * @param password in UTF-8
   */
  record Simple(String dn, byte[] password) {
    @Override
    public String toString() {
      return dn;
    }
  }
}
