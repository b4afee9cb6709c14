// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.core.session.Session;
import io.stoa.ldap.protocol.BerWriter;

/** Writes the protocolOp of a request for one user. */
@FunctionalInterface
public interface RequestBody {
  void write(BerWriter out, Session session);
}
