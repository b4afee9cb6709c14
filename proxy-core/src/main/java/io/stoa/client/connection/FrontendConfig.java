// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.client.auth.ExternalBind;
import io.stoa.client.auth.StoredCredentials;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.OperationListener;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What all client connections share. Immutable, but for the limits.
 *
 * @param current what a client may take now
 * @param decoder reads requests
 * @param listener hears what happens
 * @param keepPasswords true for a name whose bind request is kept while the client is connected
 * @param own answers those whom only Stoa knows
 * @param external answers those who bind by EXTERNAL
 * @param unexposed whether a server may take what sends a password in the clear only because Stoa's
 *     own connection is protected
 * @param waiting the answers that wait for clients
 * @param announced whether servers are told the client's address where a connection serves one
 *     client alone
 */
public record FrontendConfig(
    Supplier<ClientLimits> current,
    RequestDecoder decoder,
    OperationListener listener,
    Predicate<Octets> keepPasswords,
    StoredCredentials own,
    ExternalBind external,
    boolean unexposed,
    WaitingAnswers waiting,
    boolean announced) {
  /** What a client may take; may be other limits the next time. */
  public ClientLimits limits() {
    return current.get();
  }
}
