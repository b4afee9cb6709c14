// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.core.protocol.Protocol;
import io.gatling.javaapi.core.ProtocolBuilder;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The server of a scenario's virtual users, and their connections: one for each user, or some for
 * each event loop, shared and pipelined.
 *
 * <p>Threading: immutable.
 */
public final class LdapProtocol implements Protocol, ProtocolBuilder {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /**
   * The settings.
   *
   * @param bindDn DN with which connections bind; null for none
   * @param shared number of shared connections of each event loop; 0 for one connection for each
   *     user
   */
  record Settings(
      InetSocketAddress server,
      @Nullable String bindDn,
      String password,
      int shared,
      Duration timeout,
      Latencies latencies) {
    /** Returns a copy without a bind. */
    Settings anonymous() {
      return new Settings(server, null, "", shared, timeout, latencies);
    }
  }

  private final Settings settings;

  private LdapProtocol(Settings settings) {
    this.settings = settings;
  }

  /** Returns a server in plain LDAP. */
  public static LdapProtocol to(InetSocketAddress server) {
    return new LdapProtocol(new Settings(server, null, "", 0, TIMEOUT, new Latencies()));
  }

  /** Makes each connection begin with this bind, except named ones. */
  public LdapProtocol boundAs(String dn, String password) {
    Settings s = settings;
    return new LdapProtocol(new Settings(s.server, dn, password, s.shared, s.timeout, s.latencies));
  }

  /** Makes the users of an event loop share this number of pipelined connections. */
  public LdapProtocol shared(int connections) {
    Settings s = settings;
    return new LdapProtocol(
        new Settings(s.server, s.bindDn, s.password, connections, s.timeout, s.latencies));
  }

  /** Sets the time after which a request without an answer fails. */
  public LdapProtocol timeout(Duration timeout) {
    Settings s = settings;
    return new LdapProtocol(
        new Settings(s.server, s.bindDn, s.password, s.shared, timeout, s.latencies));
  }

  /** Sets the recorder of latencies. */
  public LdapProtocol latencies(Latencies latencies) {
    Settings s = settings;
    return new LdapProtocol(
        new Settings(s.server, s.bindDn, s.password, s.shared, s.timeout, latencies));
  }

  Settings settings() {
    return settings;
  }

  @Override
  public Protocol protocol() {
    return this;
  }
}
