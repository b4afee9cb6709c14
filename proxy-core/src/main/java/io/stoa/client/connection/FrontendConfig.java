// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.client.access.AccessControl;
import io.stoa.client.auth.ExternalBind;
import io.stoa.client.auth.LocalBinds;
import io.stoa.client.quota.ClientQuotas;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.AccessListener;
import io.stoa.operation.OperationCounters;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Settings and services that all client connections share.
 *
 * <p>Threading: immutable, except the limits.
 *
 * @param current supplies the current limits
 * @param decoder decodes requests
 * @param counters count events of clients and operations
 * @param keepPasswords true for a name whose bind request is kept while the client is connected
 * @param localBinds answers binds of identities that only Stoa knows
 * @param external answers binds by EXTERNAL
 * @param refusePlainSasl true if mechanisms that send a password in the clear are refused from
 *     unprotected clients. A server may accept them only because Stoa's own connection is
 *     protected.
 * @param waiting the responses that wait for clients
 * @param announceClients true if servers receive the client's address on a connection that serves a
 *     single client
 * @param accessControl judges operations by the access rules
 * @param quotas enforces the limits of networks and identities
 * @param accessLog receives the events of access logs
 */
public record FrontendConfig(
    Supplier<ClientLimits> current,
    RequestDecoder decoder,
    OperationCounters counters,
    Predicate<Octets> keepPasswords,
    LocalBinds localBinds,
    ExternalBind external,
    boolean refusePlainSasl,
    WaitingResponses waiting,
    boolean announceClients,
    AccessControl accessControl,
    ClientQuotas quotas,
    AccessListener accessLog) {
  /** Returns the current limits, which may change between calls. */
  public ClientLimits limits() {
    return current.get();
  }
}
