// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.core.protocol.Protocol;
import io.gatling.javaapi.core.ProtocolBuilder;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where the virtual users of a scenario find their directory, and how: each on a connection of its
 * own, or all on some connections of their event loop, pipelined. Immutable.
 */
public final class LdapProtocol implements Protocol, ProtocolBuilder {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /**
   * The settings.
   *
   * @param shared connections of each event loop that its users share; 0 is one for each user
   */
  record Settings(
      InetSocketAddress server,
      @Nullable String bindDn,
      String password,
      int shared,
      Duration timeout,
      Latencies latencies) {
    /** The same without a bind. */
    Settings anonymous() {
      return new Settings(server, null, "", shared, timeout, latencies);
    }
  }

  private final Settings settings;

  private LdapProtocol(Settings settings) {
    this.settings = settings;
  }

  /** A server in plain LDAP. */
  public static LdapProtocol to(InetSocketAddress server) {
    return new LdapProtocol(new Settings(server, null, "", 0, TIMEOUT, new Latencies()));
  }

  /** Each connection begins with this bind, but for those that have a name. */
  public LdapProtocol boundAs(String dn, String password) {
    Settings s = settings;
    return new LdapProtocol(new Settings(s.server, dn, password, s.shared, s.timeout, s.latencies));
  }

  /**
   * The users of an event loop share so many connections, on which requests do not wait for each
   * other.
   */
  public LdapProtocol shared(int connections) {
    Settings s = settings;
    return new LdapProtocol(
        new Settings(s.server, s.bindDn, s.password, connections, s.timeout, s.latencies));
  }

  /** A request without an answer fails after this time. */
  public LdapProtocol timeout(Duration timeout) {
    Settings s = settings;
    return new LdapProtocol(
        new Settings(s.server, s.bindDn, s.password, s.shared, timeout, s.latencies));
  }

  /** Where latencies are kept. */
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
