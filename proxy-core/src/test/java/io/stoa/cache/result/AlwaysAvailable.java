// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.protocol.Request;

/** There is always a server that can be used. Stateless. */
public record AlwaysAvailable() implements Caches.Outages {
  @Override
  public boolean affects(Request request) {
    return false;
  }

  @Override
  public boolean hasAny() {
    return false;
  }
}
