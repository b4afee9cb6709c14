// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.util.internal.PlatformDependent;
import io.stoa.client.limit.SearchLimits;
import io.stoa.ldap.protocol.DecodeLimits;
import java.time.Duration;

/**
 * What a client may take before it is refused. Immutable.
 *
 * @param frameBeforeBind largest LDAPMessage of an anonymous client, in octets
 * @param frameAfterBind largest LDAPMessage of a bound client, in octets
 * @param filterDepth deepest nesting of a search filter
 * @param operationsInFlight unanswered operations of one connection; at the limit Stoa stops
 *     reading from it until an answer has gone out
 * @param longLivedSearches persistent and sync searches of one connection; more get busy
 * @param connections open client connections; more are told busy and closed
 * @param requestMemory octets that the requests of all clients without an answer may take; 0: a
 *     quarter of the direct memory. Beyond that the slowest of the largest network are given up
 * @param writeBuffer octets that may wait for a slow client before reading for it pauses
 * @param writeTimeout how long a client may take no octet of a waiting answer before it is
 *     disconnected
 * @param idleTimeout how long a connection without operations may stay; zero: for ever
 * @param requestTimeout how long a request may be under way after its first octet
 * @param negotiationTimeout how long a client may take for the next step of a SASL bind, for which
 *     somebody may have to type a password
 * @param search what a search may take
 */
public record ClientLimits(
    int frameBeforeBind,
    int frameAfterBind,
    int filterDepth,
    int operationsInFlight,
    int longLivedSearches,
    int connections,
    int requestMemory,
    int writeBuffer,
    Duration writeTimeout,
    Duration idleTimeout,
    Duration requestTimeout,
    Duration negotiationTimeout,
    SearchLimits search) {

  /** The limits that hold where nothing else is said. */
  public static final ClientLimits DEFAULTS =
      new ClientLimits(
          256 * 1024,
          4 * 1024 * 1024,
          1_000,
          1_000,
          32,
          20_000,
          0,
          1024 * 1024,
          Duration.ofSeconds(60),
          Duration.ZERO,
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          SearchLimits.OFF);

  public ClientLimits {
    atLeast("frameBeforeBind", frameBeforeBind, 1024);
    atLeast("frameAfterBind", frameAfterBind, frameBeforeBind);
    atLeast("filterDepth", filterDepth, 1);
    if (filterDepth > 1_000) {
      throw new IllegalArgumentException("filterDepth " + filterDepth + " is above 1000");
    }
    atLeast("operationsInFlight", operationsInFlight, 1);
    atLeast("longLivedSearches", longLivedSearches, 0);
    atLeast("connections", connections, 1);
    if (requestMemory != 0) {
      atLeast("requestMemory", requestMemory, frameAfterBind);
    }
    atLeast("writeBuffer", writeBuffer, 64 * 1024);
    positive("writeTimeout", writeTimeout);
    positive("requestTimeout", requestTimeout);
    positive("negotiationTimeout", negotiationTimeout);
    if (idleTimeout.isNegative()) {
      throw new IllegalArgumentException("idleTimeout is negative; 0 switches it off");
    }
  }

  /** Returns the same with another number of open client connections. */
  public ClientLimits connections(int most) {
    return with(most, requestMemory);
  }

  /** Returns the same with another bound of unfinished requests, in octets. */
  public ClientLimits requestMemory(int octets) {
    return with(connections, octets);
  }

  private ClientLimits with(int mostConnections, int octets) {
    return new ClientLimits(
        frameBeforeBind,
        frameAfterBind,
        filterDepth,
        operationsInFlight,
        longLivedSearches,
        mostConnections,
        octets,
        writeBuffer,
        writeTimeout,
        idleTimeout,
        requestTimeout,
        negotiationTimeout,
        search);
  }

  /**
   * Returns the bound of unfinished requests in octets, a quarter of the direct memory unless set.
   */
  public long effectiveRequestMemory() {
    return requestMemory == 0 ? PlatformDependent.maxDirectMemory() / 4 : requestMemory;
  }

  /** This with what of another one can change while Stoa runs. */
  public ClientLimits tuned(ClientLimits now) {
    return new ClientLimits(
        now.frameBeforeBind,
        now.frameAfterBind,
        now.filterDepth,
        now.operationsInFlight,
        now.longLivedSearches,
        now.connections,
        now.requestMemory,
        writeBuffer,
        now.writeTimeout,
        now.idleTimeout,
        now.requestTimeout,
        now.negotiationTimeout,
        now.search);
  }

  /** The same for those who decode requests. */
  public DecodeLimits decoding() {
    DecodeLimits defaults = DecodeLimits.DEFAULTS;
    return new DecodeLimits(
        filterDepth, defaults.filterNodes(), defaults.attributes(), defaults.controls());
  }

  private static void atLeast(String name, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " " + value + " is below " + least);
    }
  }

  private static void positive(String name, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(name + " must be longer than 0");
    }
  }
}
